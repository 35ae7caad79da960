import { AsyncResource, createHook, executionAsyncId } from 'node:async_hooks';
import { Session } from 'node:inspector';
import { root } from './paths.mjs';

/** Where each asynchronous resource was made: in which one, and with which stack. */
const made = new Map();

/** Begins to remember. Must be called before what is traced starts. */
export function startTracing() {
  Error.stackTraceLimit = Number.POSITIVE_INFINITY;
  createHook({
    init(id) {
      const place = { parent: executionAsyncId() };
      Error.captureStackTrace(place);
      made.set(id, place);
    },
  }).enable();
}

/** Everything made from now on belongs to what is sent next. */
export function mark() {
  return new AsyncResource('mark').asyncId();
}

/** The files of our packages above this call, the innermost first: on its stack, and on the stacks of its asynchronous ancestors since the mark. */
export function pathHere(since) {
  const frames = filesOf(new Error());
  for (let id = executionAsyncId(); id > since && made.has(id); id = made.get(id).parent)
    frames.push(...filesOf(made.get(id)));
  return frames;
}

/** Calls `look` before each call of a method, until it is put back. */
export function watchCalls(owner, method, look) {
  const original = owner[method];
  owner[method] = function (...args) {
    look();
    return original.apply(this, args);
  };
  return () => {
    owner[method] = original;
  };
}

function filesOf({ stack }) {
  return [...stack.matchAll(OURS)].map(([, file]) => file);
}

const OURS = new RegExp(`${root.replaceAll('/', '\\/')}(packages\\/[a-z]+\\/src\\/[^:?)]+)`, 'g');

/** Begins to count calls. The returned function stops, and gives the files of our packages in which a function was called meanwhile. */
export function countEntered() {
  const inspector = new Session();
  inspector.connect();
  inspector.post('Profiler.enable');
  inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return () => {
    const files = new Set();
    // Answers before it returns.
    inspector.post('Profiler.takePreciseCoverage', (_, { result }) => {
      for (const { url, functions } of result)
        for (const [, file] of functions.some(({ ranges }) => ranges[0].count > 0) ? url.matchAll(OURS) : [])
          files.add(file);
    });
    inspector.disconnect();
    return [...files];
  };
}
