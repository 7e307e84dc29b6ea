import { objectOf } from "@appserver/contracts/graphql";
import type {
  Backup as BackupNode,
  BackupSummary as BackupSummaryNode,
  QueryBackupsArgs,
} from "@appserver/contracts/graphql/types";
import { type Call, connectionOf } from "@appserver/kernel";
import type { BackupRecord } from "../domain/backup-record.ts";
import { backupCursorOf, readBackupSummary, readBackups } from "../use-cases/read-backups.ts";
import { type StartBackupContext, startBackup } from "../use-cases/start-backup.ts";

/** Resolvers of the part of the schema about backups of the platform. They only translate. */
export function backupResolvers(context: StartBackupContext) {
  return {
    Query: {
      backups: async (_: unknown, { first, after }: QueryBackupsArgs, call: Call) => {
        const page = await readBackups(context, { first: first ?? undefined, after: after ?? undefined }, call);
        return { ...connectionOf(page, after, { cursor: backupCursorOf, node: backupNode }), count: page.totalCount };
      },
      backupSummary: async (_: unknown, __: unknown, call: Call): Promise<BackupSummaryNode> => {
        const { lastCompleted, lastTested, ...plan } = await readBackupSummary(context, call);
        return {
          ...plan,
          lastCompleted: lastCompleted && backupNode(lastCompleted),
          lastTested: lastTested && backupNode(lastTested),
        };
      },
    },
    BackupConnection: {
      totalCount: (connection: { readonly count: () => Promise<number> }) => connection.count(),
    },
    Mutation: {
      startBackup: async (_: unknown, __: unknown, call: Call): Promise<BackupNode> =>
        backupNode(await startBackup(context, call)),
    },
  };
}

function backupNode(backup: BackupRecord): BackupNode {
  return objectOf(backup);
}
