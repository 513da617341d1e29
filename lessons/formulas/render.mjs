// Renders every formula of every lesson to SVG, and writes the index the programs find them by.
//
//   node render.mjs [path of the fdlab program]        writes lessons/NN-name/formulas/*.svg and index.json
//   node render.mjs --check [path of fdlab]            writes nothing; exit 1 if a file would change
//
// fdlab lists the formulas, so that both read Markdown by the same rules. \m{a}, \l{a}, \o{a}, \S{a} and \w{a} stand for
// m_a … w_a with an id ("m-a") by which a program colours and finds the term; the second one of a formula is "m-a--2".
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { liteAdaptor } from 'mathjax-full/js/adaptors/liteAdaptor.js';
import { RegisterHTMLHandler } from 'mathjax-full/js/handlers/html.js';
import { AllPackages } from 'mathjax-full/js/input/tex/AllPackages.js';
import { TeX } from 'mathjax-full/js/input/tex.js';
import { mathjax } from 'mathjax-full/js/mathjax.js';
import { SVG } from 'mathjax-full/js/output/svg.js';

const here = dirname(fileURLToPath(import.meta.url));
const lessons = dirname(here);
const check = process.argv.includes('--check');
const program = process.argv.slice(2).find((argument) => argument !== '--check') ?? 'fdlab';

const adaptor = liteAdaptor();
RegisterHTMLHandler(adaptor);
// Self-contained SVGs: no shared <defs>, no reference out of the file.
const page = mathjax.document('', {
  InputJax: new TeX({ packages: AllPackages.filter((name) => name !== 'bussproofs') }),
  OutputJax: new SVG({ fontCache: 'none' }),
});

/// \m{a} → \cssId{m-a}{m_{a}}, each id once in a formula.
function withIds(tex) {
  const uses = new Map();
  const unique = (id) => {
    const count = (uses.get(id) ?? 0) + 1;
    uses.set(id, count);
    return count === 1 ? id : `${id}--${count}`;
  };
  return tex.replace(/\\(?:cssId\{([^{}]*)\}|([mlowS])\{([^{}]*)\})/g, (whole, id, letter, index) => {
    if (letter === undefined) return `\\cssId{${unique(id)}}`;
    const symbol = index === '' ? letter : `${letter}_{${index}}`;
    return `{\\cssId{${unique(index === '' ? letter : `${letter}-${index}`)}}{${symbol}}}`;
  });
}

/// The SVG without width and height at its root: a reader scales it by its viewBox.
function svgOf({ tex, display }) {
  const node = page.convert(withIds(tex), { display, em: 16, ex: 8, containerWidth: 80 * 16 });
  const svg = adaptor.innerHTML(node);
  if (svg.includes('data-mml-node="merror"')) throw new Error(`TeX error in ${tex}`);
  const root = svg.slice(0, svg.indexOf('>'));
  return root.replace(/ (?:width|height|style|role|focusable)="[^"]*"/g, '') + svg.slice(root.length) + '\n';
}

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
