/** Returns the values of a cookie in a `Cookie` header. */
export function cookieValues(header: string, name: string): readonly string[] {
  const start = `${name}=`;
  return header.split(/; */).flatMap((each) => (each.startsWith(start) ? [each.slice(start.length)] : []));
}

/** The cookie that carries a session. */
export class SessionCookie {
  readonly name: string;
  readonly #lifetimeMs: number;

  constructor(name: string, lifetimeMs: number) {
    this.name = name;
    this.#lifetimeMs = lifetimeMs;
  }

  /** Returns a `Set-Cookie` for a session. */
  set(token: string, isSecure: boolean): string {
    return `${this.name}=${token}; Max-Age=${Math.floor(this.#lifetimeMs / 1_000)}; ${this.#attributes(isSecure)}`;
  }

  /** Returns a `Set-Cookie` that removes it. */
  remove(isSecure: boolean): string {
    return `${this.name}=; Max-Age=0; ${this.#attributes(isSecure)}`;
  }

  /** Returns its values in a `Cookie` header. */
  valuesIn(header: string): readonly string[] {
    return cookieValues(header, this.name);
  }

  #attributes(isSecure: boolean): string {
    // Browsers refuse this prefix without `Secure`.
    const secure = isSecure || this.name.startsWith("__Host-") ? "; Secure" : "";
    return `Path=/; HttpOnly; SameSite=Lax${secure}`;
  }
}
