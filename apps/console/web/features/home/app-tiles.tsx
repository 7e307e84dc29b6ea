import { ActionIcon, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ClosedApp } from "../../api/access-requests.ts";
import { i18n } from "../../i18n.ts";
import { AppIcon } from "../../parts/app-icon.tsx";
import { AskForAccess, AskForMore } from "../../parts/ask-for-access.tsx";
import { StarIcon } from "../../parts/icons.tsx";
import { Status } from "../../parts/status.tsx";
import { UnreadCount } from "../../parts/unread-count.tsx";
import { firstIcon, lineOf, startOf } from "../hosting/frontend-facts.ts";
import type { Frontend } from "../hosting/frontend-queries.ts";

interface TileProps {
  readonly frontend: Frontend;
  /** If some of its pages are closed to the viewer. */
  readonly closed: ClosedApp | undefined;
  readonly isFavourite: boolean;
  readonly onToggle: () => void;
}

/** An app that the viewer may use. It leads to the first page. */
export function Tile({ frontend, closed, isFavourite, onToggle }: TileProps) {
  const { displayName, state } = frontend;
  return (
    <div className="tile-place">
      <Link className="tile" to={startOf(frontend)}>
        <AppIcon icon={firstIcon(frontend)} title={displayName} large />
        <span className="tile-text">
          <Text component="span" fw={600} className="wrap">
            {displayName} <UnreadCount count={frontend.unread} />
          </Text>
          <Text component="span" size="sm" c="dimmed" className="tile-line">
            {lineOf(frontend)}
          </Text>
          {state !== "RUNNING" && (
            <Status tone={state === "FAILED" ? "bad" : "warning"}>
              {state === "FAILED" ? i18n.t("Failed") : state === "UNHEALTHY" ? i18n.t("Does not respond") : i18n.t("Starting")}
            </Status>
          )}
        </span>
      </Link>
      {closed && <AskForMore app={closed} />}
      <ActionIcon
        className="tile-star"
        variant="transparent"
        aria-label={i18n.t("{displayName} is a favourite", { displayName })}
        aria-pressed={isFavourite}
        title={isFavourite ? i18n.t("Remove from the favourites") : i18n.t("Add to the favourites")}
        onClick={onToggle}
      >
        <StarIcon />
      </ActionIcon>
    </div>
  );
}

/** An app that the viewer may ask for. */
export function ClosedTile({ app }: { readonly app: ClosedApp }) {
  const { name, displayName, description, icon } = app;
  return (
    <div className="tile tile-closed" data-app={name}>
      <AppIcon icon={icon} title={displayName} large />
      <div className="tile-text">
        <Text fw={600} className="wrap">
          {displayName}
        </Text>
        <Text size="sm" c="dimmed" className="tile-line">
          {description ?? name}
        </Text>
        <div className="tile-action">
          <AskForAccess app={app} />
        </div>
      </div>
    </div>
  );
}
