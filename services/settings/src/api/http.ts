import type { SettingsContext } from "../use-cases/context.ts";
import { deleteSettingsRoute } from "./http/delete-settings-route.ts";
import { readSettingsRoute } from "./http/read-settings-route.ts";
import { updateSettingsRoute } from "./http/update-settings-route.ts";
import { validateSettingsRoute } from "./http/validate-settings-route.ts";

/** Returns the settings part of REST v2 (docs/interface/rest.md#endpoints). It only translates. */
export function settingsHttp(context: SettingsContext) {
  return [
    readSettingsRoute(context),
    updateSettingsRoute(context),
    deleteSettingsRoute(context),
    validateSettingsRoute(context),
  ] as const;
}
