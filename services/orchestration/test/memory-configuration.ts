import { createHash } from "node:crypto";
import type { SettingVariables } from "@appserver/contracts/settings";
import { AppError } from "@appserver/kernel";
import type { ConfigurationDigests } from "../src/ports.ts";

/** The values of settings by variable. */
export class MemorySettings implements SettingVariables {
  readonly values = new Map<string, string>();
  /** Why a secret cannot be decrypted. */
  unreadable: string | undefined;

  async read(_appId: string, definitions: Parameters<SettingVariables["read"]>[1]): Promise<Readonly<Record<string, string>>> {
    if (this.unreadable !== undefined) throw new AppError("INVALID_STATE", this.unreadable);
    const names = definitions.flatMap(({ env }) => env ?? []);
    return Object.fromEntries([...this.values].filter(([name]) => names.includes(name)));
  }
}

/** Digests with keys that can be added and removed. */
export class MemoryDigests implements ConfigurationDigests {
  /** Newest first. */
  readonly keys = ["k1"];

  async of(configuration: string): Promise<string> {
    return digest(this.keys[0] ?? "", configuration);
  }

  async matches(known: string, configuration: string): Promise<boolean> {
    return this.keys.some((key) => digest(key, configuration) === known);
  }
}

function digest(key: string, text: string): string {
  return `${key}:${createHash("sha256").update(`${key} ${text}`).digest("hex")}`;
}
