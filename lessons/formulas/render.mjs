// Renders every formula of every lesson to SVG, and writes the index the programs find them by.
//
//   node render.mjs [path of the fdlab program]        writes lessons/NN-name/formulas/*.svg and index.json
//   node render.mjs --check [path of fdlab]            writes nothing; exit 1 if a file would change
//
// fdlab lists the formulas, so that both read Markdown by the same rules.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { svgOf } from './svg.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const lessons = dirname(here);
const check = process.argv.includes('--check');
const program = process.argv.slice(2).find((argument) => argument !== '--check') ?? 'fdlab';

/// File name → content of one lesson's formulas folder.
function filesOf(name) {
  const formulas = JSON.parse(
    execFileSync(program, ['lesson', 'formulas', name], { env: { ...process.env, FDLAB_DATA: dirname(lessons) } }));
  const files = new Map(formulas.map((formula) => [formula.file, svgOf(formula)]));
  const lines = formulas.map((formula) => `  ${JSON.stringify(formula)}`).join(',\n');
  files.set('index.json', `{"format": "fdlab-formulas", "version": 1, "formulas": [\n${lines}\n]}\n`);
  return files;
}

let changes = 0;
function change(what, path, act) {
  changes += 1;
  console.log(`${what} ${path}`);
  if (!check) act();
}

for (const lesson of readdirSync(lessons).filter((name) => /^\d+-/.test(name))) {
  const folder = join(lessons, lesson, 'formulas');
  if (!check) mkdirSync(folder, { recursive: true });
  const files = filesOf(lesson);
  for (const old of existsSync(folder) ? readdirSync(folder) : [])
    if (!files.has(old)) change('removes', join(lesson, 'formulas', old), () => rmSync(join(folder, old)));
  for (const [name, content] of files) {
    const path = join(folder, name);
    const is_same = existsSync(path) && readFileSync(path, 'utf8') === content;
    if (!is_same) change('writes', join(lesson, 'formulas', name), () => writeFileSync(path, content));
  }
}
console.log(changes === 0 ? 'all formulas are current' : `${changes} files ${check ? 'would change' : 'changed'}`);
process.exit(check && changes > 0 ? 1 : 0);
