import { readFile } from 'node:fs/promises';
import { ConfigurationError, errorInfo } from '@amplifier/core';
import { z } from 'zod';
import { Price, type PriceTable } from './price-table.js';

/**
 * Prices in US dollars per million tokens, as of 17 November 2026. Each was compared that day with what the vendor says of the model:
 * Anthropic's price page and pages of its models; OpenAI's page of GPT-6.1 Sol and, for its other models and Google's, their price
 * pages as price tables kept by others quote them (of August to October 2026). Where two differ, as for an offer that ends, the higher
 * one stands here, so that a limit on money stays a limit. Prices change without notice: a price that differs, or a model that is not
 * here, goes under `prices` in the user's settings.yaml, which counts before this list. What is not here costs an unknown amount,
 * which is not zero: under a limit on money it is refused.
 */
export const LIST_PRICES: PriceTable = {
  'claude-fable-5-1': { input: '10', output: '50', cache_read: '0.25', cache_write: '12.5' },
  'claude-fable-5': { input: '10', output: '50', cache_read: '1', cache_write: '12.5' },
  'claude-opus-5-5': { input: '4', output: '20', cache_read: '0.2', cache_write: '5' },
  'claude-opus-5': { input: '5', output: '25', cache_read: '0.5', cache_write: '6.25' },
  'claude-opus-4-8': { input: '5', output: '25', cache_read: '0.5', cache_write: '6.25' },
  'claude-opus-4-7': { input: '5', output: '25', cache_read: '0.5', cache_write: '6.25' },
  // One price for the whole context window since March 2026.
  'claude-opus-4-6': { input: '5', output: '25', cache_read: '0.5', cache_write: '6.25' },
  'claude-opus-4-5': { input: '5', output: '25', cache_read: '0.5', cache_write: '6.25' },
  'claude-opus-4-1': { input: '15', output: '75', cache_read: '1.5', cache_write: '18.75' },
  'claude-opus-4': { input: '15', output: '75', cache_read: '1.5', cache_write: '18.75' },
  'claude-opus-4-0': { input: '15', output: '75', cache_read: '1.5', cache_write: '18.75' },
  'claude-sonnet-5-5': { input: '2', output: '10', cache_read: '0.1', cache_write: '2.5' },
  'claude-sonnet-5': { input: '2', output: '10', cache_read: '0.2', cache_write: '2.5' },
  'claude-sonnet-4-6': { input: '3', output: '15', cache_read: '0.3', cache_write: '3.75' },
  'claude-sonnet-4-5': {
    input: '3',
    output: '15',
    cache_read: '0.3',
    cache_write: '3.75',
    long: { above: 200_000, input: '6', output: '22.5', cache_read: '0.6', cache_write: '7.5' },
  },
  'claude-sonnet-4': {
    input: '3',
    output: '15',
    cache_read: '0.3',
    cache_write: '3.75',
    long: { above: 200_000, input: '6', output: '22.5', cache_read: '0.6', cache_write: '7.5' },
  },
  'claude-3-7-sonnet': { input: '3', output: '15', cache_read: '0.3', cache_write: '3.75' },
  'claude-haiku-5-5': {
    input: '0.1',
    output: '0.5',
    cache_read: '0.01',
    cache_write: '0.125',
    long: { above: 100_000, input: '0.5', output: '2.5', cache_read: '0.05', cache_write: '0.625' },
  },
  'claude-haiku-4-5': { input: '1', output: '5', cache_read: '0.1', cache_write: '1.25' },
  'claude-3-5-haiku': { input: '0.8', output: '4', cache_read: '0.08', cache_write: '1' },
  // Prompts above 272,000 tokens cost twice as much, answers to them one and a half times.
  'gpt-6.1-sol': {
    input: '2',
    output: '10',
    cache_read: '0.1',
    cache_write: '2.5',
    long: { above: 272_000, input: '4', output: '15', cache_read: '0.2', cache_write: '5' },
  },
  'gpt-6-astra': {
    input: '10',
    output: '50',
    cache_read: '1',
    cache_write: '12.5',
    long: { above: 272_000, input: '20', output: '75', cache_read: '2', cache_write: '25' },
  },
  'gpt-6-sol': {
    input: '2',
    output: '10',
    cache_read: '0.2',
    cache_write: '2.5',
    long: { above: 272_000, input: '4', output: '15', cache_read: '0.4', cache_write: '5' },
  },
  'gpt-6-luna': {
    input: '0.1',
    output: '0.5',
    cache_read: '0.01',
    cache_write: '0.125',
    long: { above: 272_000, input: '0.2', output: '0.75', cache_read: '0.02', cache_write: '0.25' },
  },
  // Less until 21 November 2026 at least.
  'gpt-5.6-sol': {
    input: '5',
    output: '30',
    cache_read: '0.5',
    cache_write: '6.25',
    long: { above: 272_000, input: '10', output: '45', cache_read: '1', cache_write: '12.5' },
  },
  'gpt-5.6-terra': {
    input: '2',
    output: '12',
    cache_read: '0.2',
    cache_write: '2.5',
    long: { above: 272_000, input: '4', output: '18', cache_read: '0.4', cache_write: '5' },
  },
  'gpt-5.6-luna': {
    input: '0.2',
    output: '1.2',
    cache_read: '0.02',
    cache_write: '0.25',
    long: { above: 272_000, input: '0.4', output: '1.8', cache_read: '0.04', cache_write: '0.5' },
  },
  'gpt-5.5': {
    input: '5',
    output: '30',
    cache_read: '0.5',
    long: { above: 272_000, input: '10', output: '45', cache_read: '1' },
  },
  'gpt-5.4': {
    input: '2.5',
    output: '15',
    cache_read: '0.25',
    long: { above: 272_000, input: '5', output: '22.5', cache_read: '0.5' },
  },
  'gpt-5.4-mini': { input: '0.75', output: '4.5', cache_read: '0.075' },
  'gpt-5.4-nano': { input: '0.2', output: '1.25', cache_read: '0.02' },
  'gpt-5.3-codex': { input: '1.75', output: '14', cache_read: '0.175' },
  'gpt-5.2': { input: '1.75', output: '14', cache_read: '0.175' },
  'gpt-5.2-codex': { input: '1.75', output: '14', cache_read: '0.175' },
  'gpt-5.1': { input: '1.25', output: '10', cache_read: '0.125' },
  'gpt-5': { input: '1.25', output: '10', cache_read: '0.125' },
  'gpt-5-codex': { input: '1.25', output: '10', cache_read: '0.125' },
  'gpt-5-pro': { input: '15', output: '120' },
  'gpt-5-mini': { input: '0.25', output: '2', cache_read: '0.025' },
  'gpt-5-nano': { input: '0.05', output: '0.4', cache_read: '0.005' },
  'gpt-4.1': { input: '2', output: '8', cache_read: '0.5' },
  'gpt-4.1-mini': { input: '0.4', output: '1.6', cache_read: '0.1' },
  'gpt-4.1-nano': { input: '0.1', output: '0.4', cache_read: '0.025' },
  'gpt-4o': { input: '2.5', output: '10', cache_read: '1.25' },
  'gpt-4o-mini': { input: '0.15', output: '0.6', cache_read: '0.075' },
  o3: { input: '2', output: '8', cache_read: '0.5' },
  'o3-mini': { input: '1.1', output: '4.4', cache_read: '0.55' },
  'o4-mini': { input: '1.1', output: '4.4', cache_read: '0.275' },
  'gemini-3.1-pro-preview': {
    input: '2',
    output: '12',
    cache_read: '0.2',
    long: { above: 200_000, input: '4', output: '18', cache_read: '0.4' },
  },
  'gemini-3.5-flash': { input: '1.5', output: '9', cache_read: '0.15' },
  'gemini-3.5-flash-lite': { input: '0.3', output: '2.5', cache_read: '0.03' },
  // Half of that until the end of 2026. What cached input costs could not be confirmed.
  'gemini-3.8-flash': { input: '1.5', output: '7.5' },
  'gemini-2.5-pro': {
    input: '1.25',
    output: '10',
    cache_read: '0.125',
    long: { above: 200_000, input: '2.5', output: '15', cache_read: '0.25' },
  },
  'gemini-2.5-flash': { input: '0.3', output: '2.5', cache_read: '0.03' },
  'gemini-2.5-flash-lite': { input: '0.1', output: '0.4', cache_read: '0.01' },
};

/** `{"prices": {"model-id": {"input": "3", "output": "15"}}}`. Models the file names replace ours, others stay. */
const PriceFile = z.object({ as_of: z.string().optional(), prices: z.record(z.string(), Price) });

/** The list prices with a file's laid over them, and those of the settings over both. */
export async function loadPrices(file: string | undefined, own: PriceTable = {}): Promise<PriceTable> {
  if (file === undefined) return { ...LIST_PRICES, ...own };
  try {
    return { ...LIST_PRICES, ...PriceFile.parse(JSON.parse(await readFile(file, 'utf8'))).prices, ...own };
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : errorInfo(cause).message;
    throw new ConfigurationError(
      `The price file ${file} cannot be used: ${why}. Correct it or remove 'price_file' from the provider's config.`,
      { cause },
    );
  }
}
