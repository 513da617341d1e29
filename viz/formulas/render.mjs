// Renders the window's own formulas to SVG (those of lessons: lessons/formulas/render.mjs).
//
//   node render.mjs [path of the fdlab-window program]        writes *.svg beside this file
//   node render.mjs --check [path of fdlab-window]            writes nothing; exit 1 if a file would change
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { svgOf } from '../../lessons/formulas/svg.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const check = process.argv.includes('--check');
const program = process.argv.slice(2).find((argument) => argument !== '--check') ?? 'fdlab-window';

const formulas = JSON.parse(execFileSync(program, ['--formulas']));
const files = new Map(formulas.map((formula) => [formula.file, svgOf(formula)]));
let changes = 0;
for (const old of readdirSync(here).filter((name) => name.endsWith('.svg') && !files.has(name))) {
  changes += 1;
  if (!check) rmSync(join(here, old));
}
for (const [name, content] of files) {
  const path = join(here, name);
  if (existsSync(path) && readFileSync(path, 'utf8') === content) continue;
  changes += 1;
  if (!check) writeFileSync(path, content);
}
console.log(changes === 0 ? 'all formulas are current' : `${changes} files ${check ? 'would change' : 'changed'}`);
process.exit(check && changes > 0 ? 1 : 0);
