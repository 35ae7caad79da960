// What the scopes of tokens hold against, over many more random requests than a test run has time for.
process.env.SCOPE_TRIALS = '10000';
await import('../src/auth/scopes-hold.test.js');
