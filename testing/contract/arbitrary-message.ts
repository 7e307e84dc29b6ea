import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import fc from "fast-check";

/** Texts as attackers send them: any characters, NULs, lone surrogates, plausible names, long texts. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.constantFrom(
    "",
    "\0",
    "a\0b",
    "com.example.absent",
    "../..",
    "%00",
    "'; drop table apps; --",
    "__proto__",
    "x".repeat(40_000),
  ),
  fc.uuid(),
);

const integer = fc.oneof(fc.constantFrom(0, 1, -1, 2_147_483_647, -2_147_483_648), fc.integer());
const unsigned = fc.oneof(fc.constantFrom(0, 1, 4_294_967_295), fc.nat());
const long = fc.oneof(fc.constantFrom(0n, 1n, 9_223_372_036_854_775_807n), fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }));

const scalars: Readonly<Record<number, fc.Arbitrary<unknown>>> = {
  [ScalarType.STRING]: hostileText,
  [ScalarType.BOOL]: fc.boolean(),
  [ScalarType.BYTES]: fc.uint8Array({ maxLength: 64 }),
  [ScalarType.INT32]: integer,
  [ScalarType.SINT32]: integer,
  [ScalarType.UINT32]: unsigned,
  [ScalarType.INT64]: long,
  [ScalarType.UINT64]: long,
  [ScalarType.DOUBLE]: fc.double(),
  [ScalarType.FLOAT]: fc.float(),
};

/** An initialiser of a message of the type. Each field may be set or not, to a depth of four messages. */
export function arbitraryMessage(type: DescMessage, depth = 4): fc.Arbitrary<object> {
  const known = wellKnown[type.typeName];
  if (known) return known as fc.Arbitrary<object>;
  const alone = type.fields.filter((field) => field.oneof === undefined);
  const members: Record<string, fc.Arbitrary<unknown>> = {};
  for (const field of alone) {
    const value = arbitraryField(field, depth);
    if (value) members[field.localName] = value;
  }
  for (const oneof of type.oneofs) {
    const cases = oneof.fields.flatMap((field) => {
      const value = arbitraryField(field, depth);
      return value ? [value.map((chosen) => ({ case: field.localName, value: chosen }))] : [];
    });
    if (cases.length > 0) members[oneof.localName] = fc.oneof(...cases);
  }
  return fc.record(members, { requiredKeys: [], noNullPrototype: true });
}

const wellKnown: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  "google.protobuf.Struct": fc.dictionary(fc.string({ maxLength: 10 }), fc.jsonValue({ maxDepth: 3 })),
  "google.protobuf.Timestamp": fc.record({
    seconds: fc.bigInt({ min: 0n, max: 253_402_300_799n }),
    nanos: fc.nat(999_999_999),
  }),
  "google.protobuf.Duration": fc.record({ seconds: fc.bigInt({ min: 0n, max: 1_000_000n }), nanos: fc.nat(999_999_999) }),
};

function arbitraryField(field: DescField, depth: number): fc.Arbitrary<unknown> | undefined {
  if (field.fieldKind === "list") {
    const item = single(field.listKind, field, depth);
    return item && fc.array(item, { maxLength: 3 });
  }
  if (field.fieldKind === "map") {
    const value = single(field.mapKind, field, depth);
    return value && field.mapKey === ScalarType.STRING
      ? fc.dictionary(fc.string({ maxLength: 10 }), value, { maxKeys: 3 })
      : undefined;
  }
  return single(field.fieldKind, field, depth);
}

function single(kind: "scalar" | "enum" | "message", field: DescField, depth: number): fc.Arbitrary<unknown> | undefined {
  if (kind === "scalar") return scalars[field.scalar ?? ScalarType.STRING];
  if (kind === "enum") return fc.constantFrom(...(field.enum?.values.map(({ number }) => number) ?? [0]), 99);
  if (!field.message || depth === 0) return undefined;
  return arbitraryMessage(field.message, depth - 1);
}
