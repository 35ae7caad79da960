import type { AmplifierModule, ContextManager, Message } from '@amplifier/core';

/** The smallest context manager that keeps the contract: a list, and a system prompt asked for on each request. */
export class MemoryContext implements ContextManager {
  #messages: Message[] = [];
  #systemPrompt: (() => Promise<string>) | undefined;

  async addMessage(message: Message): Promise<void> {
    this.#messages.push(message);
  }

  async getMessagesForRequest(): Promise<Message[]> {
    if (!this.#systemPrompt) return [...this.#messages];
    return [{ role: 'system', content: await this.#systemPrompt() }, ...this.#messages];
  }

  async getMessages(): Promise<Message[]> {
    return [...this.#messages];
  }

  async setMessages(messages: Message[]): Promise<void> {
    this.#messages = [...messages];
  }

  async clear(): Promise<void> {
    this.#messages = [];
  }

  setSystemPromptFactory(factory: () => Promise<string>): void {
    this.#systemPrompt = factory;
  }
}

export const memoryContextModule: AmplifierModule = {
  mount: (coordinator) => coordinator.mounts.mount('context', new MemoryContext()),
};
