import type { ChatRequest } from '@amplifier/core';
import type { ScriptedTurn } from '@amplifier/testkit';

export const TASKS: readonly string[];
export function resultOf(task: string): string;
export function answer(request: ChatRequest): ScriptedTurn;
