/** Returns whether the method is safe, so that it changes nothing (RFC 9110 §9.2.1). */
export function isSafeMethod(method: string): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}
