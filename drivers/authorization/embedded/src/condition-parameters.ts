import { type CelInput, celUint } from "@bufbuild/cel";
import { create, fromJson } from "@bufbuild/protobuf";
import { type Duration, DurationSchema, type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import type { ParameterType } from "./authorization-model.ts";
import { canonicalAddress } from "./ip-address.ts";

/** Converts a JSON value to the parameter's type, by OpenFGA's rules. Throws an Error that names the expected type. */
export function convertParameter(type: ParameterType, value: unknown): CelInput {
  const convert = converters[type.type_name];
  if (!convert) throw new Error(`unknown parameter type ${type.type_name}`);
  return convert(value, type.generic_types?.[0] ?? { type_name: "TYPE_NAME_ANY" });
}

type Converter = (value: unknown, element: ParameterType) => CelInput;

const converters: Readonly<Record<string, Converter>> = {
  TYPE_NAME_ANY: (value) => value as CelInput,
  TYPE_NAME_BOOL: (value) => (typeof value === "boolean" ? value : refuse("bool", value)),
  TYPE_NAME_STRING: (value) => (typeof value === "string" ? value : refuse("string", value)),
  TYPE_NAME_INT: (value) => toInt64(value, "int"),
  TYPE_NAME_UINT: toUint64,
  TYPE_NAME_DOUBLE: (value) => toNumber(value, "double"),
  TYPE_NAME_DURATION: toDuration,
  TYPE_NAME_TIMESTAMP: toTimestamp,
  TYPE_NAME_IPADDRESS: (value) => (typeof value === "string" ? canonicalAddress(value) : refuse("ipaddress", value)),
  TYPE_NAME_LIST: (value, element) =>
    Array.isArray(value) ? value.map((item) => convertParameter(element, item)) : refuse("list", value),
  TYPE_NAME_MAP: (value, element) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? new Map(Object.entries(value).map(([key, item]) => [key, convertParameter(element, item)]))
      : refuse("map", value),
};

function refuse(expected: string, value: unknown): never {
  throw new Error(`expected a value of type ${expected}, but found ${JSON.stringify(value)}`);
}

/** Accepts numbers as decimal strings too, because JSON cannot carry every 64-bit integer. */
function toNumber(value: unknown, expected: string): number {
  const decimal = typeof value === "string" && /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value);
  const number = decimal ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : refuse(expected, value);
}

const int64Range = { least: -(2n ** 63n), most: 2n ** 63n - 1n };

function toInt64(value: unknown, expected: string): bigint {
  const integer = typeof value === "string" && /^[+-]?\d+$/.test(value) ? BigInt(value) : toWhole(value, expected);
  if (integer < int64Range.least) return int64Range.least;
  return integer > int64Range.most ? int64Range.most : integer;
}

function toWhole(value: unknown, expected: string): bigint {
  const number = toNumber(value, expected);
  return Number.isInteger(number) ? BigInt(number) : refuse(expected, value);
}

function toUint64(value: unknown): CelInput {
  const integer = toInt64(value, "uint");
  return integer < 0n ? refuse("uint", value) : celUint(integer);
}

function toTimestamp(value: unknown): Timestamp {
  if (typeof value !== "string") return refuse("timestamp (RFC 3339)", value);
  try {
    return fromJson(TimestampSchema, value);
  } catch {
    return refuse("timestamp (RFC 3339)", value);
  }
}

const nanosecondsPer: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};
const durationPattern = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/u;
const durationPart = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gu;

/** Parses a duration of Go: `1h30m`, `-1.5h`, `300ms`, `0`. */
function toDuration(value: unknown): Duration {
  if (typeof value !== "string") return refuse("duration", value);
  if (/^[+-]?0$/.test(value)) return create(DurationSchema);
  const [, sign, parts] = durationPattern.exec(value) ?? [];
  if (parts === undefined) return refuse("duration", value);
  let total = 0n;
  for (const [, amount, unit] of parts.matchAll(durationPart)) {
    total += BigInt(Math.trunc(Number(amount) * (nanosecondsPer[unit ?? ""] ?? 0)));
  }
  if (sign === "-") total = -total;
  return create(DurationSchema, { seconds: total / 1_000_000_000n, nanos: Number(total % 1_000_000_000n) });
}
