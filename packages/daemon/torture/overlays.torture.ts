// What a run token can do with overlays, over many more of them than a test run has time for.
process.env.OVERLAY_TRIALS = '10000';
await import('../src/plans/overlay-trials.test.js');
