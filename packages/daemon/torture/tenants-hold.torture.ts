// What tenants of one daemon see and change of each other, over many more random requests than a test run has time for.
process.env.TENANT_TRIALS = '10000';
await import('../src/tenants/tenants-hold.test.js');
