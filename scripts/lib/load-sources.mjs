// node --import tsx --import ./scripts/lib/load-sources.mjs PROGRAM: imports of our packages lead to their sources.
import { register } from 'node:module';
import { sourceAliases } from './source-aliases.mjs';

const aliases = sourceAliases().map(({ find, replacement }) => [find.source, replacement]);
const hooks = `
const aliases = ${JSON.stringify(aliases)}.map(([find, file]) => [new RegExp(find), 'file://' + file]);
export function resolve(specifier, context, next) {
  const found = aliases.find(([find]) => find.test(specifier));
  return next(found ? found[1] : specifier, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
