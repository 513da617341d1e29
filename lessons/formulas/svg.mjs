// One formula as SVG by MathJax. \m{a}, \l{a}, \o{a}, \S{a} and \w{a} stand for m_a … w_a with an id ("m-a") by which a
// program colours and finds the term; the second one of a formula is "m-a--2".
import { liteAdaptor } from 'mathjax-full/js/adaptors/liteAdaptor.js';
import { RegisterHTMLHandler } from 'mathjax-full/js/handlers/html.js';
import { AllPackages } from 'mathjax-full/js/input/tex/AllPackages.js';
import { TeX } from 'mathjax-full/js/input/tex.js';
import { mathjax } from 'mathjax-full/js/mathjax.js';
import { SVG } from 'mathjax-full/js/output/svg.js';

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
export function svgOf({ tex, display }) {
  const node = page.convert(withIds(tex), { display, em: 16, ex: 8, containerWidth: 80 * 16 });
  const svg = adaptor.innerHTML(node);
  if (svg.includes('data-mml-node="merror"')) throw new Error(`TeX error in ${tex}`);
  const root = svg.slice(0, svg.indexOf('>'));
  return root.replace(/ (?:width|height|style|role|focusable)="[^"]*"/g, '') + svg.slice(root.length) + '\n';
}
