import { create, type DescMessage, type Message, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";

/** The value of a field as records have it: with a Date in place of each timestamp. */
type Recorded<T> = T extends Timestamp
  ? Date
  : T extends readonly (infer E)[]
    ? readonly Recorded<E>[]
    : T extends Message
      ? T | RecordedFields<T>
      : T;

type RecordedFields<M> = { readonly [F in keyof M as F extends FieldOf<M> ? F : never]: Recorded<M[F]> };

type FieldOf<M> = Exclude<keyof M, "$typeName" | "$unknown">;

/**
 * Creates a message from a record that has its fields by name. The record may have other fields as well. A field of the message
 * that the record does not declare is a compile error, also an optional one.
 */
export function messageOf<D extends DescMessage, R extends RecordedFields<MessageShape<D>>>(
  schema: D,
  record: R & Readonly<Record<Exclude<FieldOf<MessageShape<D>>, keyof R>, never>>,
): MessageShape<D> {
  return create(schema, withTimestamps(record) as MessageInitShape<D>);
}

function withTimestamps(value: unknown): unknown {
  if (value instanceof Date) return timestampFromDate(value);
  if (Array.isArray(value)) return value.map(withTimestamps);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array || "$typeName" in value) return value;
  return Object.fromEntries(Object.entries(value).map(([field, held]) => [field, withTimestamps(held)]));
}
