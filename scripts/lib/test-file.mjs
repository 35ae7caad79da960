// Vitest's set-up for each test file: a home and a temporary folder that no other file has.
import { enterOwnEnvironment, ownFolder } from './own-environment.mjs';

enterOwnEnvironment(ownFolder());
