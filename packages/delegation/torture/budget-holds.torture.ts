// What the budget holds against, over many more random trees than a test run has time for.
process.env.BUDGET_TRIALS = '10000';
await import('../src/metering/budget-holds.test.js');
