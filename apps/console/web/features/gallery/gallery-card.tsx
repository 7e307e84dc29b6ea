import { Button, Group, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useViewer } from "../../api/viewer.ts";
import { TryAppDocument } from "../../generated/operations.ts";
import { i18n } from "../../i18n.ts";
import { AppIcon } from "../../parts/app-icon.tsx";
import { BusyButton } from "../../parts/busy-button.tsx";
import { command } from "../../parts/commands.ts";
import { notify, notifyFailure } from "../../parts/notices.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { canInstall, Uninstall } from "../apps/app-actions.tsx";
import type { OfferedApp } from "./gallery-query.ts";

interface CardProps {
  readonly offered: OfferedApp;
  /** The first page of the app that the viewer may open. */
  readonly page: string | undefined;
}

export function GalleryCard({ offered, page }: CardProps) {
  const { name, displayName, description, icon, app } = offered;
  const isThere = app != null && !canInstall(app);
  return (
    <div className="tile tile-closed" data-app={name}>
      <AppIcon icon={icon} title={displayName} large />
      <div className="tile-text">
        <Text fw={600} className="wrap">
          {isThere ? (
            <PageLink to="/console/apps/$name" params={{ name }}>
              {displayName}
            </PageLink>
          ) : (
            displayName
          )}
        </Text>
        <Text size="sm" c="dimmed">
          {description ?? name}
        </Text>
        <div className="tile-action">
          {app && app.state !== "UNINSTALLED" && app.state !== "RUNNING" && <StateBadge state={app.state} />}
          <Actions offered={offered} page={page} />
        </div>
      </div>
    </div>
  );
}

function Actions({ offered, page }: CardProps) {
  const { permissions } = useViewer();
  const [isTrying, setTrying] = useState(false);
  const [asksUninstall, setAsksUninstall] = useState(false);
  const { name, displayName, obstacle, app } = offered;
  const isThere = app != null && !canInstall(app);
  const tryIt = async (): Promise<void> => {
    setTrying(true);
    const done = i18n.t("{displayName} is installed", { displayName });
    const failed = i18n.t("{displayName} was not installed", { displayName });
    await command(TryAppDocument, { name }).then(() => notify(done), notifyFailure(failed));
    setTrying(false);
  };
  if (!isThere && obstacle != null) return <Text size="sm">{obstacle}</Text>;
  if (!isThere)
    return permissions.includes("app:install") ? (
      <BusyButton
        size="xs"
        loading={isTrying}
        aria-label={
          isTrying ? i18n.t("Installing {displayName}", { displayName }) : i18n.t("Try it: {displayName}", { displayName })
        }
        onClick={() => void tryIt()}
      >
        {isTrying ? i18n.t("Installing") : i18n.t("Try it")}
      </BusyButton>
    ) : null;
  return (
    <Group gap="xs">
      {page !== undefined && app.state === "RUNNING" && (
        <Button component={Link} to={page} size="xs" aria-label={i18n.t("Open {displayName}", { displayName })}>
          {i18n.t("Open")}
        </Button>
      )}
      {permissions.includes("app:uninstall") && (
        <Button
          size="xs"
          variant="default"
          aria-label={i18n.t("Uninstall {displayName}", { displayName })}
          onClick={() => setAsksUninstall(true)}
        >
          {i18n.t("Uninstall")}
        </Button>
      )}
      <Uninstall app={{ name, displayName }} opened={asksUninstall} onClose={() => setAsksUninstall(false)} />
    </Group>
  );
}
