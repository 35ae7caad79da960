export { readAddress, redactAddress } from './postgres-address.js';
export { PostgresDatabase, type PostgresOptions } from './postgres-database.js';
