/**
 * Returns a function that computes the value of an object once, and keeps it as long as the object is in memory. Callers that
 * receive the same object share the value, for example a promise.
 */
export function oncePerObject<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const values = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    const known = values.get(key);
    if (known) return known.value;
    const value = compute(key);
    values.set(key, { value });
    return value;
  };
}
