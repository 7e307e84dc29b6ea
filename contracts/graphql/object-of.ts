/**
 * Returns a record that has the fields of an object type by name as that type. The record may have other fields as well. A field of
 * the type that the record does not declare is a compile error, also a nullable one.
 */
export function objectOf<T, R extends T = T>(record: R & Readonly<Record<Exclude<keyof T, keyof R | "__typename">, never>>): T {
  return record;
}
