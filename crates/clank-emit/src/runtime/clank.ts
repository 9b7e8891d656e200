// The run-time library of Clank. A generated file carries the items that it uses, or imports this file as a module.
// Every top-level item starts with a doc comment and is exported, so that single items can be taken out.
//
// Values: integers are bigint, Float is number, Unit is undefined, arrays and tuples are arrays, records are plain
// objects, and a variant is an object with its name as `tag` and its fields in the order of declaration.

/**
 * A Clank type, as far as a value does not tell it. Given to `show`, `raise`, `toHost` and `fromHost`.
 *
 * - `"any"`: shown, and handed to the host, by what the value is; taken from the host as it is.
 * - `"opaque"`: passes the host's boundary as it is, both ways. For a type parameter that comes back.
 * - `{ record: "Point", fields: { … } }`: a nominal record; with the name `""` an anonymous one. Fields that need no
 *   description may be left out for `show`; `fromHost` takes exactly the fields that are listed.
 * - `{ sum: { Amber: { secs: "Int" }, Red: {} } }`: the variants with their fields. Result is one of these.
 * - `{ option: … }`: for the host `None` is null (undefined is taken too) and `Some(x)` is x.
 * - `{ params: […], result: … }`: a function.
 * - `{ refined: …, check: … }`: what the host gives is checked as a whole.
 * - `() => shape`: a shape that is made later, for types that contain themselves.
 */
export type Shape =
  | "any"
  | "opaque"
  | "Int"
  | "Int32"
  | "Int64"
  | "Nat"
  | "Float"
  | "Bool"
  | "Str"
  | "Unit"
  | { readonly array: Shape }
  | { readonly tuple: readonly Shape[] }
  | { readonly record: string; readonly fields: { readonly [field: string]: Shape } }
  | { readonly sum: { readonly [variant: string]: { readonly [field: string]: Shape } } }
  | { readonly option: Shape }
  | { readonly map: readonly [Shape, Shape] }
  | { readonly set: Shape }
  | { readonly params: readonly Shape[]; readonly result: Shape }
  | { readonly refined: Shape; readonly check: (value: unknown) => unknown }
  | (() => Shape);

/** A value that may be missing. */
export type Option<T> = { readonly tag: "Some"; readonly value: T } | { readonly tag: "None" };

/** A value, or the reason why there is none. */
export type Result<T, E> = { readonly tag: "Ok"; readonly value: T } | { readonly tag: "Err"; readonly error: E };

/** How two values are ordered. */
export type Ordering = { readonly tag: "Less" } | { readonly tag: "Equal" } | { readonly tag: "Greater" };

/** The value is there. */
export function Some<T>(value: T): Option<T> {
  return { tag: "Some", value };
}

/** The value is missing. */
export const None: Option<never> = { tag: "None" };

/** It worked. */
export function Ok<T>(value: T): Result<T, never> {
  return { tag: "Ok", value };
}

/** It failed. */
export function Err<E>(error: E): Result<never, E> {
  return { tag: "Err", error };
}

/** Whether the value is missing. */
export function isNone<T>(option: Option<T>): option is { readonly tag: "None" } {
  return option.tag === "None";
}

/** Whether it failed. */
export function isErr<T, E>(result: Result<T, E>): result is { readonly tag: "Err"; readonly error: E } {
  return result.tag === "Err";
}

/** The left one comes first. */
export const Less: Ordering = { tag: "Less" };

/** Neither comes first. */
export const Equal: Ordering = { tag: "Equal" };

/** The right one comes first. */
export const Greater: Ordering = { tag: "Greater" };

/** The program is wrong and stops; nothing in Clank catches this. */
export class ClankPanic extends Error {
  override name = "Panic";
}

/** An error of the Err effect on its way to whoever handles it; the message is the value as text. */
export class ClankError extends Error {
  override name = "ClankError";
  readonly value: unknown;

  constructor(value: unknown, message: string) {
    super(message);
    this.value = value;
  }
}

/** Stops the program. */
export function panic(message: string): never {
  throw new ClankPanic(message);
}

/** Stops the program where something is still to be written. */
export function todo(what: string): never {
  return panic(`not yet done: ${what}`);
}

/** Stops the program where nobody expected it to be. */
export function unreachable(): never {
  return panic("unreachable code was reached");
}

/** Leaves for the next `attempt` with an error. */
export function raise(error: unknown, shape: Shape = "any"): never {
  throw new ClankError(error, show(error, shape));
}

/** The builtin `try`: what the body returns, or the text of the error that it raised. */
export function attempt<T>(body: () => T): Result<T, string> {
  try {
    return { tag: "Ok", value: body() };
  } catch (error) {
    if (error instanceof ClankError) {
      return { tag: "Err", error: error.message };
    }
    throw error;
  }
}

/** A condition that must hold: a refinement, `pre`, `post` or `assert` that was not proved. */
export function requires(holds: boolean, message: string): void {
  if (!holds) {
    panic(message);
  }
}

/** The element at an index that must exist. */
export function at<T>(items: readonly T[], index: bigint): T {
  return items[place(items, index)] as T;
}

/** The index as a number, when the array has an element there. */
export function place(items: readonly unknown[], index: bigint): number {
  const position = Number(index);
  if (position < 0 || position >= items.length) {
    panic(`index ${index} is out of bounds for length ${items.length}`);
  }
  return position;
}

/** The integer quotient, truncated toward zero. */
export function div(left: bigint, right: bigint): bigint {
  return right === 0n ? panic("division by zero") : left / right;
}

/** The remainder, with the sign of the dividend. */
export function rem(left: bigint, right: bigint): bigint {
  return right === 0n ? panic("division by zero") : left % right;
}

/** The integer power. A result of more than a million bits is refused before it takes the time and the memory. */
export function pow(base: bigint, exponent: bigint): bigint {
  if (exponent < 0n) {
    return panic(`${exponent} is a negative exponent`);
  }
  if (base < -1n || base > 1n) {
    const bits = base.toString(2).length - (base < 0n ? 1 : 0);
    if (BigInt(bits - 1) * exponent >= 1_000_000n || exponent > 1_000_000n) {
      return panic(`a power with the exponent ${exponent} is too large`);
    }
  }
  return base ** exponent;
}

/** The number, which must fit. */
export function int32(number: bigint): bigint {
  return BigInt.asIntN(32, number) === number ? number : panic(`${number} is not an Int32`);
}

/** The number, which must fit. */
export function int64(number: bigint): bigint {
  return BigInt.asIntN(64, number) === number ? number : panic(`${number} is not an Int64`);
}

/** The number, which must not be negative. */
export function nat(number: bigint): bigint {
  return number >= 0n ? number : panic(`${number} is not a Nat`);
}

/** The integers from start up to end. */
export function range(start: bigint, end: bigint, inclusive = false): bigint[] {
  const stop = inclusive ? end + 1n : end;
  if (stop - start > 4_294_967_295n) {
    return panic(`a range of ${stop - start} elements is too long`);
  }
  const numbers: bigint[] = [];
  for (let number = start; number < stop; number += 1n) {
    numbers.push(number);
  }
  return numbers;
}

/** A copy of an array, tuple or record that can be changed without changing any other. */
export function copy<T extends object>(value: T): T {
  return (Array.isArray(value) ? value.slice() : { ...value }) as T;
}

/** Whether two values are the same by structure. Functions have no such notion. */
export function equals(left: unknown, right: unknown): boolean {
  const pairs: [object, object][] = [];
  let same = equalOrPending(left, right, pairs);
  for (let pair = pairs.pop(); same && pair !== undefined; pair = pairs.pop()) {
    same = equalParts(pair[0], pair[1], pairs);
  }
  return same;
}

/** Whether two values are the same, as far as that can be said at once; composed ones go to `pairs`. */
export function equalOrPending(left: unknown, right: unknown, pairs: [object, object][]): boolean {
  if (typeof left === "function") {
    return panic("functions cannot be compared");
  }
  if (typeof left === "object" && typeof right === "object" && left !== null && right !== null) {
    pairs.push([left, right]);
    return true;
  }
  return left === right;
}

/** Whether two composed values have the same form and parts; composed parts go to `pairs`. */
export function equalParts(left: object, right: object, pairs: [object, object][]): boolean {
  if (Array.isArray(left) && Array.isArray(right)) {
    return (
      left.length === right.length &&
      left.every((part: unknown, position) => equalOrPending(part, right[position], pairs))
    );
  }
  if (left instanceof ClankSet && right instanceof ClankSet) {
    return equalParts(left.members, right.members, pairs);
  }
  if (left instanceof ClankMap && right instanceof ClankMap) {
    const isSame = ([key, value]: [unknown, unknown]): boolean => {
      const entry = right.lookup(keyOf(key));
      return entry !== null && equalOrPending(value, entry[1], pairs);
    };
    return left.size === right.size && left.entries().every(isSame);
  }
  const fields = Object.entries(left);
  const others = right as { readonly [field: string]: unknown };
  return (
    fields.length === Object.keys(right).length &&
    fields.every(([name, part]) => Object.hasOwn(right, name) && equalOrPending(part, others[name], pairs))
  );
}

/** The builtin `to_string`: a string as it is, anything else as it would be written in Clank. */
export function show(value: unknown, shape: Shape = "any"): string {
  if (typeof value === "string") {
    return value;
  }
  let text = "";
  const lists: PartList[] = [{ parts: [value], shapeOf: () => shape, open: "", close: "", next: 0 }];
  for (let list = lists.at(-1); list !== undefined; list = lists.at(-1)) {
    const position = list.next;
    list.next += 1;
    if (position === list.parts.length) {
      text += list.close;
      lists.pop();
      continue;
    }
    text += `${position === 0 ? "" : ", "}${list.labels?.[position] ?? ""}`;
    const part = list.parts[position];
    if (typeof part === "object" && part !== null) {
      const inner = showList(part, settle(list.shapeOf(position)));
      text += inner.open;
      lists.push(inner);
    } else {
      text += showScalar(part);
    }
  }
  return text;
}

/** A composed value of which the parts up to `next` are shown. */
export type PartList = {
  readonly open: string;
  readonly parts: readonly unknown[];
  readonly labels?: readonly string[];
  readonly shapeOf: (position: number) => Shape;
  readonly close: string;
  next: number;
};

/** A value without parts, as Clank writes it. */
export function showScalar(value: unknown): string {
  switch (typeof value) {
    case "string":
      return quote(value);
    case "number":
      return showFloat(value);
    case "undefined":
      return "()";
    case "function":
      return "<function>";
    default:
      return String(value);
  }
}

/** A composed value, to be shown part by part. */
export function showList(value: object, shape: Exclude<Shape, () => Shape>): PartList {
  const known = typeof shape === "object" ? shape : { tuple: [] };
  if (value instanceof ClankMap) {
    const entry: Shape = { tuple: "map" in known ? known.map : [] };
    return { open: "map_from([", parts: value.entries(), shapeOf: () => entry, close: "])", next: 0 };
  }
  if (value instanceof ClankSet) {
    const item = "set" in known ? known.set : "any";
    return { open: "set_from([", parts: value.members.keys(), shapeOf: () => item, close: "])", next: 0 };
  }
  if (Array.isArray(value)) {
    if (typeof shape === "object" && "tuple" in shape) {
      const close = value.length === 1 ? ",)" : ")";
      return { open: "(", parts: value, shapeOf: (position) => shape.tuple[position] ?? "any", close, next: 0 };
    }
    const item = "array" in known ? known.array : "any";
    return { open: "[", parts: value, shapeOf: () => item, close: "]", next: 0 };
  }
  return showFields(Object.entries(value), shape);
}

/** A variant or record, to be shown field by field. */
export function showFields(fields: [string, unknown][], shape: Exclude<Shape, () => Shape>): PartList {
  const record = typeof shape === "object" && "record" in shape ? shape : null;
  const variant = fields.find(([name]) => name === "tag")?.[1];
  const isVariant = record === null && typeof variant === "string";
  const shown = isVariant ? fields.filter(([name]) => name !== "tag") : fields;
  const names = shown.map(([name]) => name);
  const parts = shown.map(([, part]) => part);
  const shapes = isVariant ? variantShapes(shape, variant) : (record?.fields ?? {});
  const shapeOf = (position: number): Shape => fieldShape(shapes, names[position] ?? "");
  if (isVariant) {
    const [open, close] = parts.length === 0 ? [variant, ""] : [`${variant}(`, ")"];
    return { open, parts, shapeOf, close, next: 0 };
  }
  const head = record === null || record.record === "" ? "" : `${record.record} `;
  const [open, close] = parts.length === 0 ? [`${head}{`, "}"] : [`${head}{ `, " }"];
  return { open, parts, labels: names.map((name) => `${name}: `), shapeOf, close, next: 0 };
}

/** The shape of a field. Every object has members of its own, which are none. */
export function fieldShape(shapes: { readonly [field: string]: Shape }, field: string): Shape {
  return (Object.hasOwn(shapes, field) ? shapes[field] : undefined) ?? "any";
}

/** A Float as Clank writes it, always with a point. */
export function showFloat(number: number): string {
  if (!Number.isFinite(number)) {
    return String(number);
  }
  const [digits = "", exponent] = (Object.is(number, -0) ? "-0" : String(number)).split("e");
  const mantissa = digits.includes(".") ? digits : `${digits}.0`;
  return exponent === undefined ? mantissa : `${mantissa}e${exponent.replace("+", "")}`;
}

/** A string as Clank writes it. */
export function quote(text: string): string {
  const escapes: { readonly [char: string]: string } = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0" };
  return `"${text.replace(/[\\"\n\r\t\0]/g, (char) => escapes[char] ?? `\\${char}`)}"`;
}

/** The shape behind functions that make it. */
export function settle(shape: Shape): Exclude<Shape, () => Shape> {
  let settled = shape;
  while (typeof settled === "function") {
    settled = settled();
  }
  return settled;
}

/** The shapes of the fields of a variant. */
export function variantShapes(shape: Shape, variant: string): { readonly [field: string]: Shape } {
  if (typeof shape === "object" && "option" in shape) {
    return { value: shape.option };
  }
  const fields = typeof shape === "object" && "sum" in shape && Object.hasOwn(shape.sum, variant) && shape.sum[variant];
  return fields === false || fields === undefined ? {} : fields;
}

/** A text that is the same for two values exactly if they are equal; NaN counts as equal to itself here. */
export function keyOf(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "bigint":
      return `${value}n`;
    case "number":
      return String(value);
    case "function":
      return panic("functions cannot be compared");
    case "object":
      return value === null ? "null" : keyOfParts(value);
    default:
      return String(value);
  }
}

/** The key of a composed value. */
export function keyOfParts(value: object): string {
  if (Array.isArray(value)) {
    return `[${value.map((part) => keyOf(part)).join()}]`;
  }
  if (value instanceof ClankSet) {
    return `set${keyOfParts(value.members)}`;
  }
  const fields =
    value instanceof ClankMap
      ? value.entries().map(([key, part]) => `${keyOf(key)}:${keyOf(part)}`)
      : Object.entries(value).map(([name, part]) => `${name}:${keyOf(part)}`);
  return `{${fields.sort().join()}}`;
}

/**
 * A map as a value. The maps that come from one another by changes share a log of steps, and each knows how many of
 * them it has seen; so a change of the newest one costs the same however large it is, and older ones stay as they were.
 */
export class ClankMap<K, V> {
  readonly size: number;
  readonly #log: MapLog<K, V>;
  readonly #seen: number;

  constructor(log: MapLog<K, V> = { steps: [], places: new Map() }, size = 0) {
    this.#log = log;
    this.#seen = log.steps.length;
    this.size = size;
  }

  /** The entry whose key has that text. */
  lookup(text: string): [K, V] | null {
    const places = this.#log.places.get(text) ?? [];
    for (let last = places.length - 1; last >= 0; last -= 1) {
      const position = places[last] ?? 0;
      if (position < this.#seen) {
        return this.#log.steps[position]?.entry ?? null;
      }
    }
    return null;
  }

  /** The map with that entry, or without one for that key. */
  with(text: string, entry: [K, V] | null): ClankMap<K, V> {
    const known = this.lookup(text) !== null;
    if (!known && entry === null) {
      return this;
    }
    const log = this.#ownLog();
    const places = log.places.get(text);
    if (places === undefined) {
      log.places.set(text, [log.steps.length]);
    } else {
      places.push(log.steps.length);
    }
    log.steps.push({ text, entry });
    return new ClankMap(log, this.size + (entry === null ? 0 : 1) - (known ? 1 : 0));
  }

  /** The entries, those that were put in first first. */
  entries(): [K, V][] {
    const entries = new Map<string, [K, V]>();
    for (const { text, entry } of this.#log.steps.slice(0, this.#seen)) {
      if (entry === null) {
        entries.delete(text);
      } else {
        entries.set(text, entry);
      }
    }
    return [...entries.values()].map(([key, value]) => [key, value]);
  }

  /** The keys, in the order of the entries. */
  keys(): K[] {
    return this.entries().map(([key]) => key);
  }

  /** The log, if a step may be added to it; else a new one without the steps that have no effect any more. */
  #ownLog(): MapLog<K, V> {
    if (this.#seen === this.#log.steps.length && this.#seen <= 2 * this.size + 16) {
      return this.#log;
    }
    const log: MapLog<K, V> = { steps: [], places: new Map() };
    for (const entry of this.entries()) {
      const text = keyOf(entry[0]);
      log.places.set(text, [log.steps.length]);
      log.steps.push({ text, entry });
    }
    return log;
  }
}

/** The steps that maps share, and for the text of every key where its steps are. */
export type MapLog<K, V> = {
  readonly steps: { readonly text: string; readonly entry: [K, V] | null }[];
  readonly places: Map<string, number[]>;
};

/** A set as a value: the keys of a map. */
export class ClankSet<T> {
  readonly members: ClankMap<T, undefined>;

  constructor(members: ClankMap<T, undefined>) {
    this.members = members;
  }
}

/** Builtin. */
export function map_new<K, V>(): ClankMap<K, V> {
  return new ClankMap();
}

/** Builtin. The last entry for a key wins. */
export function map_from<K, V>(entries: readonly [K, V][]): ClankMap<K, V> {
  return entries.reduce((made, [key, value]) => map_set(made, key, value), map_new<K, V>());
}

/** Builtin. */
export function map_get<K, V>(entries: ClankMap<K, V>, key: K): Option<V> {
  const entry = entries.lookup(keyOf(key));
  return entry === null ? None : Some(entry[1]);
}

/** Builtin. */
export function map_set<K, V>(entries: ClankMap<K, V>, key: K, value: V): ClankMap<K, V> {
  return entries.with(keyOf(key), [key, value]);
}

/** Builtin. */
export function map_remove<K, V>(entries: ClankMap<K, V>, key: K): ClankMap<K, V> {
  return entries.with(keyOf(key), null);
}

/** Builtin. */
export function map_has<K, V>(entries: ClankMap<K, V>, key: K): boolean {
  return entries.lookup(keyOf(key)) !== null;
}

/** Builtin. */
export function map_keys<K, V>(entries: ClankMap<K, V>): K[] {
  return entries.keys();
}

/** Builtin. */
export function map_values<K, V>(entries: ClankMap<K, V>): V[] {
  return entries.entries().map(([, value]) => value);
}

/** Builtin. */
export function map_size<K, V>(entries: ClankMap<K, V>): bigint {
  return BigInt(entries.size);
}

/** Builtin. */
export function map_entries<K, V>(entries: ClankMap<K, V>): [K, V][] {
  return entries.entries();
}

/** Builtin. */
export function set_new<T>(): ClankSet<T> {
  return new ClankSet(map_new());
}

/** Builtin. */
export function set_from<T>(items: readonly T[]): ClankSet<T> {
  return items.reduce((made, item) => set_add(made, item), set_new<T>());
}

/** Builtin. */
export function set_add<T>(items: ClankSet<T>, item: T): ClankSet<T> {
  return set_has(items, item) ? items : new ClankSet(map_set(items.members, item, undefined));
}

/** Builtin. */
export function set_remove<T>(items: ClankSet<T>, item: T): ClankSet<T> {
  return new ClankSet(map_remove(items.members, item));
}

/** Builtin. */
export function set_has<T>(items: ClankSet<T>, item: T): boolean {
  return map_has(items.members, item);
}

/** Builtin. */
export function set_size<T>(items: ClankSet<T>): bigint {
  return map_size(items.members);
}

/** Builtin. */
export function set_to_array<T>(items: ClankSet<T>): T[] {
  return items.members.keys();
}

/** Builtin. */
export function len<T>(items: readonly T[]): bigint {
  return BigInt(items.length);
}

/** Builtin. */
export function is_empty<T>(items: readonly T[]): boolean {
  return items.length === 0;
}

/** Builtin. */
export function push<T>(items: readonly T[], item: T): T[] {
  return [...items, item];
}

/** Builtin. */
export function map<T, U>(items: readonly T[], change: (item: T) => U): U[] {
  return items.map((item) => change(item));
}

/** Builtin. */
export function filter<T>(items: readonly T[], keep: (item: T) => boolean): T[] {
  return items.filter((item) => keep(item));
}

/** Builtin. */
export function fold<T, U>(items: readonly T[], start: U, step: (soFar: U, item: T) => U): U {
  let result = start;
  for (const item of items) {
    result = step(result, item);
  }
  return result;
}

/** Builtin. */
export function reduce<T>(items: readonly T[], step: (soFar: T, item: T) => T): Option<T> {
  return items.length === 0 ? None : Some(items.reduce((soFar, item) => step(soFar, item)));
}

/** Builtin. */
export function get<T>(items: readonly T[], index: bigint): Option<T> {
  const position = Number(index);
  return position >= 0 && position < items.length ? Some(items[position] as T) : None;
}

/** Builtin. */
export function find<T>(items: readonly T[], test: (item: T) => boolean): Option<T> {
  const position = items.findIndex((item) => test(item));
  return position < 0 ? None : Some(items[position] as T);
}

/** Builtin. */
export function any<T>(items: readonly T[], test: (item: T) => boolean): boolean {
  return items.some((item) => test(item));
}

/** Builtin. */
export function all<T>(items: readonly T[], test: (item: T) => boolean): boolean {
  return items.every((item) => test(item));
}

/** Builtin. */
export function contains<T>(items: readonly T[], item: T): boolean {
  return items.some((other) => equals(other, item));
}

/** Builtin. */
export function concat<T>(items: readonly T[], more: readonly T[]): T[] {
  return [...items, ...more];
}

/** Builtin. */
export function reverse<T>(items: readonly T[]): T[] {
  return [...items].reverse();
}

/** Builtin. */
export function take<T>(items: readonly T[], count: bigint): T[] {
  return items.slice(0, Number(nat(count)));
}

/** Builtin. */
export function drop<T>(items: readonly T[], count: bigint): T[] {
  return items.slice(Number(nat(count)));
}

/** Builtin. */
export function zip<T, U>(items: readonly T[], others: readonly U[]): [T, U][] {
  const count = Math.min(items.length, others.length);
  return items.slice(0, count).map((item, position) => [item, others[position] as U]);
}

/** Which of two values comes first: negative, zero or positive. NaN comes after every other number. */
export function rank(left: unknown, right: unknown): number {
  if (typeof left === "bigint" && typeof right === "bigint") {
    return left < right ? -1 : left > right ? 1 : 0;
  }
  if (typeof left === "string" && typeof right === "string") {
    return rankText(left, right);
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    const count = Math.min(left.length, right.length);
    for (let position = 0; position < count; position += 1) {
      const ranked = rank(left[position], right[position]);
      if (ranked !== 0) {
        return ranked;
      }
    }
    return left.length - right.length;
  }
  if (typeof left === "number" && typeof right === "number") {
    return left < right ? -1 : left > right ? 1 : Number(Number.isNaN(left)) - Number(Number.isNaN(right));
  }
  if (typeof left === "boolean" && typeof right === "boolean") {
    return Number(left) - Number(right);
  }
  return panic("these values have no order");
}

/** The order of two strings by code points, which UTF-16 alone does not give. */
export function rankText(left: string, right: string): number {
  const count = Math.min(left.length, right.length);
  for (let position = 0; position < count; position += 1) {
    const one = left.charCodeAt(position);
    const two = right.charCodeAt(position);
    if (one !== two) {
      const isPair = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;
      return isPair(one) === isPair(two) ? one - two : Number(isPair(one)) - Number(isPair(two));
    }
  }
  return left.length - right.length;
}

/** A stable sort that asks the same questions on every engine. */
export function mergeSort<T>(items: readonly T[], isAfter: (left: T, right: T) => boolean): T[] {
  let sorted = [...items];
  for (let width = 1; width < sorted.length; width *= 2) {
    const merged: T[] = [];
    for (let start = 0; start < sorted.length; start += 2 * width) {
      const middle = Math.min(start + width, sorted.length);
      const end = Math.min(start + 2 * width, sorted.length);
      let left = start;
      let right = middle;
      while (left < middle || right < end) {
        const takeRight = left >= middle || (right < end && isAfter(sorted[left] as T, sorted[right] as T));
        merged.push(sorted[takeRight ? right++ : left++] as T);
      }
    }
    sorted = merged;
  }
  return sorted;
}

/** Builtin. */
export function sort<T>(items: readonly T[]): T[] {
  return mergeSort(items, (left, right) => rank(left, right) > 0);
}

/** Builtin. */
export function sort_by<T>(items: readonly T[], order: (left: T, right: T) => Ordering): T[] {
  return mergeSort(items, (left, right) => order(left, right).tag === "Greater");
}

/** Builtin. */
export function compare<T>(left: T, right: T): Ordering {
  const ranked = rank(left, right);
  return ranked < 0 ? Less : ranked > 0 ? Greater : Equal;
}

/** Builtin. */
export function min<T>(left: T, right: T): T {
  return rank(left, right) <= 0 ? left : right;
}

/** Builtin. */
export function max<T>(left: T, right: T): T {
  return rank(left, right) >= 0 ? left : right;
}

/** Builtin. */
export function str_len(text: string): bigint {
  const pairs = text.match(/[\ud800-\udbff][\udc00-\udfff]/g) ?? [];
  return BigInt(text.length - pairs.length);
}

/** Builtin. */
export function chars(text: string): string[] {
  return [...text];
}

/** Builtin. */
export function slice(text: string, start: bigint, end: bigint): string {
  const [from, to] = [Number(nat(start)), Number(nat(end))];
  return /[\ud800-\udfff]/.test(text) ? chars(text).slice(from, to).join("") : text.slice(from, to);
}

/** Builtin. */
export function trim(text: string): string {
  return text.trim();
}

/** Builtin. Without a separator the parts are the characters. */
export function split(text: string, separator: string): string[] {
  return separator === "" ? chars(text) : text.split(separator);
}

/** Builtin. */
export function join(parts: readonly string[], separator: string): string {
  return parts.join(separator);
}

/** Builtin. Every occurrence; an empty text occurs nowhere. */
export function replace(text: string, old: string, by: string): string {
  return old === "" ? text : text.split(old).join(by);
}

/** Builtin. */
export function starts_with(text: string, prefix: string): boolean {
  return text.startsWith(prefix);
}

/** Builtin. */
export function ends_with(text: string, suffix: string): boolean {
  return text.endsWith(suffix);
}

/** Builtin. */
export function to_upper(text: string): string {
  return text.toUpperCase();
}

/** Builtin. */
export function to_lower(text: string): string {
  return text.toLowerCase();
}

/** Builtin. A sign and decimal digits, nothing else. */
export function parse_int(text: string): Option<bigint> {
  const [, sign, digits] = /^([+-]?)([0-9]+)$/.exec(text) ?? [];
  if (digits === undefined) {
    return None;
  }
  return Some(sign === "-" ? -BigInt(digits) : BigInt(digits));
}

/** Builtin. A decimal number with or without point and exponent, or what `to_string` makes of any Float. */
export function parse_float(text: string): Option<number> {
  const isFloat = /^[+-]?([0-9]+(\.[0-9]+)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(text);
  return isFloat || /^(NaN|-?Infinity)$/.test(text) ? Some(Number(text)) : None;
}

/** Builtin. */
export function to_int(number: bigint): bigint {
  return number;
}

/** Builtin. */
export function to_int32(number: bigint): bigint {
  return int32(number);
}

/** Builtin. */
export function to_int64(number: bigint): bigint {
  return int64(number);
}

/** Builtin. */
export function int_to_float(number: bigint): number {
  return Number(number);
}

/** Builtin. Truncates toward zero. */
export function float_to_int(number: number): bigint {
  return Number.isFinite(number) ? BigInt(Math.trunc(number)) : panic(`${number} is not an Int`);
}

/** Builtin. */
export function abs(number: bigint): bigint {
  return number < 0n ? -number : number;
}

/** Builtin. */
export function linear<T>(value: T): T {
  return value;
}

/** Builtin. */
export function affine<T>(value: T): T {
  return value;
}

/** Builtin. */
export function consume<T>(value: T): T {
  return value;
}

/** Builtin. */
export function discard<T>(_value: T): void {}

/** What the library uses of the engine it runs on. */
export type Host = {
  readonly __clank_host?: {
    readonly write: (stream: 1 | 2, text: string) => void;
    readonly readLine: () => string | null;
  };
  readonly process?: {
    readonly stdout: { readonly write: (text: string) => void };
    readonly stderr: { readonly write: (text: string) => void };
    readonly getBuiltinModule?: (name: string) => HostFiles | undefined;
  };
  readonly console?: { readonly log: (text: string) => void; readonly error: (text: string) => void };
  readonly TextDecoder?: new () => { readonly decode: (bytes: Uint8Array) => string };
};

/** The part of Node's `fs` that reads standard input. */
export type HostFiles = { readonly readSync: (file: number, bytes: Uint8Array) => number };

/** Writes to standard output (1) or standard error (2). In a browser every text is a line of the console. */
export function write(stream: 1 | 2, text: string): void {
  const host = globalThis as Host;
  if (host.__clank_host !== undefined) {
    host.__clank_host.write(stream, text);
  } else if (host.process?.stdout !== undefined) {
    (stream === 1 ? host.process.stdout : host.process.stderr).write(text);
  } else if (stream === 1) {
    host.console?.log(text.replace(/\n$/, ""));
  } else {
    host.console?.error(text.replace(/\n$/, ""));
  }
}

/** Builtin. */
export function print(text: string): void {
  write(1, text);
}

/** Builtin. */
export function println(text: string): void {
  write(1, `${text}\n`);
}

/** Builtin. */
export function eprint(text: string): void {
  write(2, text);
}

/** Builtin. */
export function eprintln(text: string): void {
  write(2, `${text}\n`);
}

/** Builtin. The next line of standard input without its end, None after the last one. */
export function read_line(): Option<string> {
  const host = globalThis as Host;
  const line = host.__clank_host === undefined ? readFileLine(host) : host.__clank_host.readLine();
  return line === null ? None : Some(line);
}

/** A line of standard input on Node, byte by byte so that nothing is taken that somebody else will read. */
export function readFileLine(host: Host): string | null {
  const files = host.process?.getBuiltinModule?.("node:fs");
  if (files === undefined || host.TextDecoder === undefined) {
    return null;
  }
  const bytes: number[] = [];
  const byte = new Uint8Array(1);
  while (files.readSync(0, byte) === 1) {
    if (byte[0] === 10) {
      return new host.TextDecoder().decode(Uint8Array.from(bytes)).replace(/\r$/, "");
    }
    bytes.push(byte[0] ?? 0);
  }
  return bytes.length === 0 ? null : new host.TextDecoder().decode(Uint8Array.from(bytes));
}

/** A value on its way to the external `name`: an integer becomes a number when a number holds it exactly. */
export function toHost(value: unknown, shape: Shape = "any", name = "the host"): any {
  const known = settle(shape);
  if (typeof known === "object" && "refined" in known) {
    return toHost(value, known.refined, name);
  }
  if (known === "opaque") {
    return value;
  }
  if (typeof value === "bigint") {
    return BigInt.asIntN(54, value) === value && Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }
  if (typeof value === "function") {
    const signature = typeof known === "object" && "params" in known ? known : undefined;
    return (...args: unknown[]): unknown => {
      const given = signature?.params.map((part, position) => fromHost(args[position], part, name)) ?? args;
      return toHost(value(...given), signature?.result ?? "any", name);
    };
  }
  return typeof value === "object" && value !== null ? partsToHost(value, known, name) : value;
}

/** A composed value on its way to the host. */
export function partsToHost(value: object, shape: Shape, name: string): unknown {
  const has = typeof shape === "object" ? shape : { record: "", fields: {} };
  if (value instanceof ClankMap) {
    const [key, item] = "map" in has ? has.map : (["any", "any"] as const);
    return new Map(value.entries().map((entry) => [toHost(entry[0], key, name), toHost(entry[1], item, name)]));
  }
  if (value instanceof ClankSet) {
    const item = "set" in has ? has.set : "any";
    return new Set(value.members.keys().map((member) => toHost(member, item, name)));
  }
  if (Array.isArray(value)) {
    const tuple = "tuple" in has ? has.tuple : [];
    const item = "array" in has ? has.array : "any";
    return value.map((part: unknown, position) => toHost(part, tuple[position] ?? item, name));
  }
  const record = value as { readonly [field: string]: unknown };
  if ("option" in has) {
    return record["tag"] === "Some" ? toHost(record["value"], has.option, name) : null;
  }
  const fields = "record" in has ? has.fields : variantShapes(has, String(record["tag"]));
  return Object.fromEntries(
    Object.entries(record).map(([field, part]) => [field, toHost(part, fieldShape(fields, field), name)]),
  );
}

/** A value that the external `name` gave, which must be what its declaration says. What cannot be read stops the program here. */
export function fromHost<T>(value: unknown, shape: Shape, name: string): T {
  try {
    return partFromHost(value, shape, name) as T;
  } catch (error) {
    if (isOurs(error)) {
      throw error;
    }
    return panic(`the external ${name} gave a value that cannot be read`);
  }
}

/** Whether something that was thrown is a panic or an error of Clank. */
export function isOurs(error: unknown): boolean {
  try {
    return error instanceof ClankPanic || error instanceof ClankError;
  } catch {
    return false;
  }
}

/** A part of what the external `name` gave. */
export function partFromHost(value: unknown, shape: Shape, name: string): unknown {
  return valueFromHost(value, settle(shape), name);
}

/** An integer that the external `name` gave: a number without a fraction, or a bigint, in the range of its type. */
export function intFromHost(value: unknown, name: string, type: "Int" | "Int32" | "Int64" | "Nat" = "Int"): bigint {
  const integer = typeof value === "number" && Number.isInteger(value) ? BigInt(value) : value;
  if (typeof integer !== "bigint") {
    return refuseFromHost(value, type, name);
  }
  const bits = type === "Int32" ? 32 : 64;
  const fits = type === "Int" || (type === "Nat" ? integer >= 0n : BigInt.asIntN(bits, integer) === integer);
  return fits ? integer : refuseFromHost(value, type, name);
}

/** Stops because the host did not keep to a declaration. */
export function refuseFromHost(value: unknown, expected: string, name: string): never {
  const isScalar = value === null || (typeof value !== "object" && typeof value !== "function");
  const given = typeof value === "string" ? quote(value) : isScalar ? String(value) : `a JavaScript ${typeof value}`;
  const readable = given.replace(/[\ud800-\udfff]/gu, "\ufffd");
  return panic(`the external ${name} gave ${readable} where ${expected} was declared`);
}

/** A value of the host as a Clank value. */
export function valueFromHost(value: unknown, shape: Exclude<Shape, () => Shape>, name: string): unknown {
  switch (shape) {
    case "any":
    case "opaque":
      return value;
    case "Unit":
      return undefined;
    case "Int":
    case "Int32":
    case "Int64":
    case "Nat":
      return intFromHost(value, name, shape);
    case "Float":
      return typeof value === "number" ? value : refuseFromHost(value, shape, name);
    case "Bool":
      return typeof value === "boolean" ? value : refuseFromHost(value, shape, name);
    case "Str":
      return textFromHost(value, name);
    default:
      return partsFromHost(value, shape, name);
  }
}

/** A text of the host: half of a surrogate pair is no character. */
export function textFromHost(value: unknown, name: string): string {
  if (typeof value !== "string") {
    return refuseFromHost(value, "Str", name);
  }
  const isBroken = /[\ud800-\udfff]/u.test(value);
  return isBroken ? panic(`the external ${name} gave a Str with half of a surrogate pair`) : value;
}

/** The elements of an array of the host. A hole fits no type. */
export function elementsFromHost(value: unknown, shapeAt: (position: number) => Shape, name: string): unknown[] {
  if (!Array.isArray(value)) {
    return refuseFromHost(value, "an array", name);
  }
  const length: unknown = value.length;
  if (typeof length !== "number" || !Number.isInteger(length) || length < 0 || length > 4294967295) {
    return panic(`the external ${name} gave an array that has no length`);
  }
  const elements: unknown[] = [];
  for (let position = 0; position < length; position++) {
    if (!(position in value)) {
      return panic(`the external ${name} gave an array with a hole at ${position}`);
    }
    elements.push(partFromHost(value[position], shapeAt(position), name));
  }
  return elements;
}

/** A composed value of the host as a Clank value. */
export function partsFromHost(value: unknown, shape: Extract<Shape, object>, name: string): unknown {
  if ("refined" in shape) {
    const given = partFromHost(value, shape.refined, name);
    try {
      shape.check(given);
    } catch (error) {
      throw error instanceof ClankPanic ? new ClankPanic(`the external ${name} gave a value that is refused: ${error.message}`) : error;
    }
    return given;
  }
  if ("option" in shape) {
    return value === null || value === undefined ? None : Some(partFromHost(value, shape.option, name));
  }
  if ("params" in shape) {
    return typeof value === "function"
      ? (...args: unknown[]): unknown =>
          fromHost(value(...args.map((arg, position) => toHost(arg, shape.params[position], name))), shape.result, name)
      : refuseFromHost(value, "a function", name);
  }
  if ("array" in shape) {
    return elementsFromHost(value, () => shape.array, name);
  }
  if ("tuple" in shape) {
    return Array.isArray(value) && value.length === shape.tuple.length
      ? elementsFromHost(value, (position) => shape.tuple[position] ?? "any", name)
      : refuseFromHost(value, `a tuple of ${shape.tuple.length}`, name);
  }
  if ("map" in shape) {
    const [key, item] = shape.map;
    return value instanceof Map
      ? map_from([...Map.prototype.entries.call(value)].map((entry) => [partFromHost(entry[0], key, name), partFromHost(entry[1], item, name)]))
      : refuseFromHost(value, "a Map", name);
  }
  if ("set" in shape) {
    return value instanceof Set
      ? set_from([...Set.prototype.values.call(value)].map((member) => partFromHost(member, shape.set, name)))
      : refuseFromHost(value, "a Set", name);
  }
  return fieldsFromHost(value, shape, name);
}

/** A record or variant of the host as a Clank value. */
export function fieldsFromHost(value: unknown, shape: Extract<Shape, object>, name: string): unknown {
  if (typeof value !== "object" || value === null) {
    return refuseFromHost(value, "an object", name);
  }
  const object = value as { readonly [field: string]: unknown };
  const read = (fields: { readonly [field: string]: Shape }): [string, unknown][] =>
    Object.entries(fields).map(([field, part]) => [field, partFromHost(object[field], part, name)]);
  if ("sum" in shape) {
    const variant = object["tag"];
    if (typeof variant !== "string" || !Object.hasOwn(shape.sum, variant)) {
      return refuseFromHost(value, "a variant", name);
    }
    return Object.fromEntries([["tag", variant], ...read(variantShapes(shape, variant))]);
  }
  return Object.fromEntries("record" in shape ? read(shape.fields) : []);
}
