import { type Attribute, named } from "./attribute.ts";
import type { Comparison } from "./filter.ts";
import type { Operation } from "./patch-operations.ts";
import { invalid } from "./scim-error.ts";
import { type Complex, elementsOf, readValue, simpleOf, type Value, type Values } from "./values.ts";

/** Returns the values of a resource after these operations, in their order. */
export function patched(before: Values, operations: readonly Operation[]): Values {
  const values = new Map(before);
  for (const operation of operations) {
    const { attribute } = operation;
    const value = changed(values.get(attribute.name), operation);
    if (value === undefined || (Array.isArray(value) && value.length === 0)) values.delete(attribute.name);
    else values.set(attribute.name, value);
  }
  return values;
}

function changed(before: Value | undefined, operation: Operation): Value | undefined {
  const { op, attribute, part, value } = operation;
  if (attribute.isList) return changedList(Array.isArray(before) ? before : [], operation);
  if (attribute.type !== "complex") return op === "remove" ? undefined : readValue(attribute, value);
  const known = isComplex(before) ? before : {};
  if (part) return withPart(known, part, op === "remove" ? undefined : value);
  // RFC 7644 section 3.5.2.3: the parts that are not named stay.
  return op === "remove" || value === null ? undefined : { ...known, ...complexIn(attribute, value) };
}

function changedList(before: readonly Complex[], operation: Operation): readonly Complex[] {
  const { op, attribute, filter, part, value } = operation;
  if (filter === undefined && part === undefined) return changedWhole(before, operation);
  const meets = (element: Complex): boolean => (filter ?? []).every((comparison) => isMet(attribute, element, comparison));
  if (op === "remove") {
    return part
      ? before.map((each) => (meets(each) ? withPart(each, part, undefined) : each))
      : before.filter((each) => !meets(each));
  }
  const change = (element: Complex): Complex =>
    part ? withPart(element, part, value) : { ...element, ...complexIn(attribute, value) };
  if (before.some(meets))
    return onePrimary(
      before,
      before.map((each) => (meets(each) ? change(each) : each)),
    );
  if (op === "replace") throw invalid("noTarget", `${attribute.name} has no element that the path selects`);
  return onePrimary(before, [...before, change(selected(attribute, filter ?? []))]);
}

function changedWhole(before: readonly Complex[], { op, attribute, value }: Operation): readonly Complex[] {
  const given = elementsOf(attribute, value);
  const isGiven = (each: Complex): boolean => given.some((other) => valueIn(other) === valueIn(each));
  if (op === "replace") return onePrimary([], given);
  // Entra removes elements by a list of them.
  if (op === "remove") return given.length === 0 ? [] : before.filter((each) => !isGiven(each));
  return onePrimary(before, [...before.filter((each) => !isGiven(each)), ...given]);
}

/** RFC 7644 section 3.5.2: an element that becomes the primary one replaces the one that was it. */
function onePrimary(before: readonly Complex[], after: readonly Complex[]): readonly Complex[] {
  const primary = after.filter((each) => each["primary"] === true);
  if (primary.length <= 1) return after;
  const chosen = primary.find((each) => !before.includes(each)) ?? primary[0];
  return after.map((each) => (each["primary"] === true && each !== chosen ? { ...each, primary: false } : each));
}

/** Returns the element that an addition makes if there is none: `emails[type eq "work"]` has the type work. */
function selected({ parts }: Attribute, filter: readonly Comparison[]): Complex {
  const entries = filter.flatMap(({ name, value }) => {
    const part = named(parts, name);
    return part && !part.isReadOnly ? [[part.name, simpleOf(part, value)] as const] : [];
  });
  return Object.fromEntries(entries);
}

function isMet({ parts }: Attribute, element: Complex, { name, value }: Comparison): boolean {
  const part = named(parts, name);
  if (!part) return false;
  const known = Object.hasOwn(element, part.name) ? element[part.name] : part.type === "boolean" ? false : undefined;
  if (part.type === "boolean") return known === simpleOf(part, value);
  return typeof known === "string" && typeof value === "string" && known.toLowerCase() === value.toLowerCase();
}

function withPart(before: Complex, part: Attribute, given: unknown): Complex {
  const { [part.name]: _, ...rest } = before;
  const value = given === undefined || given === null || given === "" ? undefined : simpleOf(part, given);
  return value === undefined ? rest : { ...rest, [part.name]: value };
}

function complexIn(attribute: Attribute, given: unknown): Complex {
  const [element = {}] = elementsOf(attribute, given);
  return element;
}

function valueIn(element: Complex): string | undefined {
  const value = element["value"];
  return typeof value === "string" ? value.toLowerCase() : undefined;
}

function isComplex(value: Value | undefined): value is Complex {
  return typeof value === "object" && !Array.isArray(value);
}
