// The loop's invariant over many more random turns than a test run has time for.
process.env.MESSAGE_ORDER_RUNS = '3000';
await import('../src/recovery/message-order.test.js');
