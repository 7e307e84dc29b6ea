import { NavLink, Text, Tooltip, VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import {
  frontendAt,
  frontendsQuery,
  hasParameters,
  isBelow,
  type NavigationEntry,
} from "../features/hosting/frontend-queries.ts";
import { i18n } from "../i18n.ts";
import { AppIcon } from "../parts/app-icon.tsx";

interface AppNavigationProps {
  readonly showsTitles: boolean;
  readonly onNavigate: () => void;
}

/** The pages of the apps, on three levels, as far as the viewer may see them. */
export function AppNavigation({ showsTitles, onNavigate }: AppNavigationProps) {
  const { data: frontends = [] } = useQuery(frontendsQuery);
  const { pathname } = useLocation();
  const current = frontendAt(frontends, pathname)?.name;
  const entries = frontends.flatMap(({ name, navigation }) => shownOf(navigation).map((entry) => ({ name, entry })));
  if (entries.length === 0) return null;
  return (
    <>
      {showsTitles && (
        <Text size="xs" fw={600} c="dimmed" px="sm" mt="sm" mb={4} component="h2">
          {i18n.t("Apps")}
        </Text>
      )}
      {entries.map(({ name, entry }) => (
        <Entry
          key={`${name} ${entry.href}`}
          entry={entry}
          depth={0}
          isOpen={current === name}
          pathname={pathname}
          showsTitles={showsTitles}
          onNavigate={onNavigate}
        />
      ))}
    </>
  );
}

interface EntryProps extends AppNavigationProps {
  readonly entry: NavigationEntry;
  readonly depth: number;
  readonly isOpen: boolean;
  readonly pathname: string;
}

function Entry({ entry: { title, href, icon, children = [] }, depth, isOpen, pathname, showsTitles, onNavigate }: EntryProps) {
  const shown = shownOf(children);
  return (
    <>
      <Tooltip label={title} position="right" disabled={showsTitles}>
        <NavLink
          component={Link}
          to={href}
          onClick={onNavigate}
          label={showsTitles ? title : <VisuallyHidden>{title}</VisuallyHidden>}
          leftSection={depth === 0 || icon ? <AppIcon icon={icon} title={title} /> : undefined}
          active={pathname === href || (shown.length === 0 && isBelow(pathname, href))}
          {...(depth > 0 && { pl: 32 + depth * 12 })}
          mb={2}
        />
      </Tooltip>
      {isOpen &&
        showsTitles &&
        shown.map((child) => (
          <Entry
            key={child.href}
            entry={child}
            depth={depth + 1}
            isOpen
            pathname={pathname}
            showsTitles
            onNavigate={onNavigate}
          />
        ))}
    </>
  );
}

function shownOf(entries: readonly NavigationEntry[]): readonly NavigationEntry[] {
  return entries.filter(({ href }) => !hasParameters(href));
}
