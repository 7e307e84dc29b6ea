import { mutation, type Operations, query } from "./operation.ts";
import { replies } from "./rest-endpoint.ts";

const permission = "backup:manage";
const tag = "backups";
const appctl = { none: "operators use `appserver backup` on the machine, which also restores" } as const;

/** Operations on backups of the whole platform. */
export const backupOperations: Operations = {
  backups: {
    ...query,
    permission,
    appctl,
    rest: { url: "/api/v2/backups", tag, summary: "Lists backups of the platform, newest first", reply: replies.page },
  },
  backupSummary: {
    ...query,
    permission,
    appctl,
    rest: {
      url: "/api/v2/backup-summary",
      tag,
      summary: "Reads when and where backups are made, the last complete one and the last tested one",
      reply: replies.value,
    },
  },
  startBackup: {
    ...mutation,
    permission,
    appctl,
    errors: ["INVALID_STATE"],
    rest: { url: "/api/v2/backups", tag, summary: "Requests a backup of the platform", reply: replies.value },
  },
};
