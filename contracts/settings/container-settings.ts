import type { SettingDefinition } from "../generated/proto/appserver/v2/settings_pb.js";

/** The values of settings for the environment of their app (docs/interface/settings.md#environment). */
export interface SettingVariables {
  /**
   * Returns the values by the name of the variable. Settings without a value are omitted. Throws INVALID_STATE with the reason if a
   * secret cannot be decrypted.
   */
  read(appId: string, definitions: readonly SettingDefinition[]): Promise<Readonly<Record<string, string>>>;
}
