import { Trans } from "@lingui/react";
import { Checkbox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { snapshotsQuery } from "../api/snapshots.ts";
import { useViewer } from "../api/viewer.ts";
import { i18n } from "../i18n.ts";
import { Time } from "./time.tsx";

interface RollbackDataProps {
  readonly name: string;
  readonly version: string;
  readonly isWanted: boolean;
  readonly onChange: (isWanted: boolean) => void;
}

/** Offers the data of the snapshot that was taken before the upgrade from the version, if there is one and the viewer may restore it. */
export function RollbackData({ name, version, isWanted, onChange }: RollbackDataProps) {
  const mayRestore = useViewer().permissions.includes("app:backup");
  const { data } = useQuery({ ...snapshotsQuery(name), enabled: mayRestore });
  const snapshot = data?.find(
    ({ appVersion, reason, state }) => appVersion === version && reason === "UPGRADE" && state === "COMPLETED",
  );
  if (!mayRestore || !snapshot) return null;
  return (
    <Checkbox
      checked={isWanted}
      onChange={(event) => onChange(event.currentTarget.checked)}
      label={i18n.t("With the data of before the upgrade")}
      description={
        <Trans
          id="What the app has stored since the snapshot <0/> is kept as another snapshot."
          components={{ 0: <Time at={snapshot.createdAt} /> }}
        />
      }
    />
  );
}
