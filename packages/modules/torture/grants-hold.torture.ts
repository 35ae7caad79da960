// What grants hold against, over many more random calls of tools than a test run has time for.
process.env.GRANT_TRIALS = '10000';
await import('../src/tools/grants-hold.test.js');
