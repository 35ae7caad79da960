/** More than the different values that a process needs at a time. */
const MOST = 64;

/** Keeps the values that were made last, by a key that says what each was made of. */
export class Memo<Value> {
  readonly #values = new Map<string, Value>();

  get(key: string, make: () => Value): Value {
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const value = make();
    this.#values.set(key, value);
    if (this.#values.size > MOST) this.#values.delete(this.#values.keys().next().value as string);
    return value;
  }
}
