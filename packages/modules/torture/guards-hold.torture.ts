// What the guards hold against, over many more random sessions than a test run has time for.
process.env.GUARD_TRIALS = '10000';
await import('../src/hooks/guards-hold.test.js');
