// What trust in folders holds against, over many more random folders than a test run has time for.
process.env.TRUST_TRIALS = '10000';
await import('../src/trust/trust-holds.test.js');
