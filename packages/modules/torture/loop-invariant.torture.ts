// The loop's invariant over many more random turns than a test run has time for.
process.env.LOOP_INVARIANT_RUNS = '3000';
await import('../src/orchestrators/loop-invariant.test.js');
