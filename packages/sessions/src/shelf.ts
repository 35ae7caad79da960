import type { SqlShelf } from './sql/sql-shelf.js';

/** Small documents by kind and name, shared by all users of a record. A document with an end is gone after that time. */
export type Shelf = Pick<
  SqlShelf,
  | 'get'
  | 'all'
  | 'names'
  | 'add'
  | 'put'
  | 'take'
  | 'remove'
  | 'begin'
  | 'change'
  | 'leave'
  | 'sweep'
  | 'now'
  | 'self'
  | 'isGone'
  | 'watch'
>;
