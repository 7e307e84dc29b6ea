import type { SettingDefinition } from "../generated/proto/appserver/v2/settings_pb.js";

/** The values of settings for the environment of their app (docs/interface/settings.md#environment). */
export interface SettingVariables {
  /**
   * Returns the values by the name of the variable. Settings without a value are omitted. Throws INVALID_STATE with the reason if a
   * secret cannot be decrypted.
   */
  read(appId: string, definitions: readonly SettingDefinition[]): Promise<Readonly<Record<string, string>>>;
}

/** Encrypts secrets of other parts of the platform with the same keys as secret settings. */
export interface SecretSeal {
  /** `owner` and `name` are part of what is sealed: the text opens only with both. */
  seal(owner: string, name: string, text: string): Promise<string>;
  /** Rejects if the text was altered or moved, or if its key is not configured. */
  open(owner: string, name: string, sealed: string): Promise<string>;
}
