import { cookieValues } from "../session-cookie.ts";

/** A cookie with sealed state of a flow. It is deleted with the browser's session. */
class FlowCookie {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  /** How its names begin. */
  get prefixes(): readonly string[] {
    return [true, false].map((isSecure) => `${this.#nameOf(isSecure)}=`);
  }

  valueIn(header: string, isSecure: boolean): string | undefined {
    return cookieValues(header, this.#nameOf(isSecure))[0];
  }

  /** Returns a `Set-Cookie`. An empty value removes it. */
  set(value: string, isSecure: boolean): string {
    const age = value === "" ? "; Max-Age=0" : "";
    return `${this.#nameOf(isSecure)}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}${age}`;
  }

  /** Over TLS only the name that no neighbour of this host can set. */
  #nameOf(isSecure: boolean): string {
    return isSecure ? `__Host-${this.#name}` : this.#name;
  }
}

/** A sign-in that continues at a provider, or with the second factor. */
export const pendingCookie = new FlowCookie("appserver_flow");
/** The challenge that a passkey signs. */
export const challengeCookie = new FlowCookie("appserver_challenge");
