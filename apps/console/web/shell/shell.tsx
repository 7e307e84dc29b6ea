import { ActionIcon, AppShell, Burger, Group, NavLink, ScrollArea, Text, Tooltip, VisuallyHidden } from "@mantine/core";
import { useDisclosure, useLocalStorage, useMediaQuery, useReducedMotion } from "@mantine/hooks";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { useAppChanges, useReconnect } from "../api/live.ts";
import { useViewer } from "../api/viewer.ts";
import { i18n } from "../i18n.ts";
import {
  AccessIcon,
  ActivitiesIcon,
  AppsIcon,
  AuditIcon,
  BackupsIcon,
  BrandIcon,
  CollapseIcon,
  EventsIcon,
  HomeIcon,
  HooksIcon,
  NotificationsIcon,
  OverviewIcon,
  PlatformIcon,
  TracesIcon,
} from "../parts/icons.tsx";
import { Notices } from "../parts/notices.tsx";
import { platformName } from "../parts/platform-name.ts";
import { ThemeSwitch } from "../parts/theme-switch.tsx";
import { AppNavigation } from "./app-navigation.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { HelpLink } from "./help-link.tsx";
import { MessageBell } from "./message-bell.tsx";
import { PaletteButton } from "./palette-button.tsx";
import { SessionGate } from "./session-gate.tsx";
import { UserMenu } from "./user-menu.tsx";

/** The pages of the administration, each with the permission without which it would be empty. */
const entries = [
  { to: "/console", title: i18n.t("Overview"), icon: OverviewIcon, permission: "app:view" },
  { to: "/console/apps", title: i18n.t("Apps"), icon: AppsIcon, permission: "app:view" },
  { to: "/console/hooks", title: i18n.t("Hooks"), icon: HooksIcon, permission: "hook:view" },
  { to: "/console/activities", title: i18n.t("Activities"), icon: ActivitiesIcon, permission: "activity:view" },
  { to: "/console/events", title: i18n.t("Events"), icon: EventsIcon, permission: "event:view" },
  { to: "/console/notifications", title: i18n.t("Notifications"), icon: NotificationsIcon, permission: "notification:manage" },
  { to: "/console/backups", title: i18n.t("Backups"), icon: BackupsIcon, permission: "backup:manage" },
  { to: "/console/trace", title: i18n.t("Traces"), icon: TracesIcon, permission: "trace:view" },
  { to: "/console/access", title: i18n.t("Access"), icon: AccessIcon, permission: "access:view" },
  { to: "/console/audit", title: i18n.t("Audit log"), icon: AuditIcon, permission: "audit:view" },
  { to: "/console/platform", title: i18n.t("Platform"), icon: PlatformIcon, permission: "platform:view" },
] as const;

const homePage = { to: "/", title: i18n.t("Home"), icon: HomeIcon } as const;

/** Everything around the pages: the rail, the top bar, and the connection to the platform. */
export function Shell() {
  useReconnect();
  return (
    <SessionGate>
      <Frame />
    </SessionGate>
  );
}

function Frame() {
  const { permissions } = useViewer();
  const [isDrawerOpen, drawer] = useDisclosure(false);
  const [isNarrow, setNarrow] = useLocalStorage({
    key: "console.narrow-rail",
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const isPhone = useMediaQuery("(max-width: 48em)", false, { getInitialValueInEffect: false });
  const isStill = useReducedMotion(false, { getInitialValueInEffect: false });
  const permitted = entries.filter(({ permission }) => permissions.includes(permission));
  useAppChanges(permissions.includes("app:view"));
  const showsTitles = isPhone || !isNarrow;
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: isNarrow ? 68 : 220, breakpoint: "sm", collapsed: { mobile: !isDrawerOpen } }}
      padding="md"
      {...(isStill && { transitionDuration: 0 })}
    >
      <a className="skip" href="#page">
        {i18n.t("Skip to the page")}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group wrap="nowrap" gap="sm" miw={0}>
            <Burger
              opened={isDrawerOpen}
              onClick={drawer.toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isDrawerOpen ? i18n.t("Close the menu") : i18n.t("Open the menu")}
            />
            <Link to="/" className="brand" aria-label={i18n.t("{platform}, to the home page", { platform: platformName() })}>
              <BrandIcon />
              <Text component="span" fw={700} visibleFrom="sm">
                {platformName()}
              </Text>
            </Link>
          </Group>
          <PaletteButton pages={entries} />
          <Group gap="xs" wrap="nowrap">
            <HelpLink />
            <ThemeSwitch />
            <MessageBell />
            <UserMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={i18n.t("Menu")} inert={isPhone && !isDrawerOpen}>
        <AppShell.Section grow component={ScrollArea}>
          <MenuLink {...homePage} showsTitles={showsTitles} onNavigate={drawer.close} />
          <AppNavigation showsTitles={showsTitles} onNavigate={drawer.close} />
          {showsTitles && permitted.length > 0 && (
            <Text size="xs" fw={600} c="dimmed" px="sm" mt="sm" mb={4} component="h2">
              {i18n.t("Administration")}
            </Text>
          )}
          {permitted.map((entry) => (
            <MenuLink key={entry.to} {...entry} showsTitles={showsTitles} onNavigate={drawer.close} />
          ))}
        </AppShell.Section>
        <AppShell.Section visibleFrom="sm">
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            c="inherit"
            onClick={() => setNarrow(!isNarrow)}
            aria-label={isNarrow ? i18n.t("Widen the menu") : i18n.t("Narrow the menu")}
            aria-expanded={!isNarrow}
          >
            <CollapseIcon />
          </ActionIcon>
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1}>
        <ConnectionBanner />
        <div className="page">
          <Outlet />
        </div>
      </AppShell.Main>
      <Notices />
    </AppShell>
  );
}

interface MenuLinkProps {
  readonly to: (typeof entries)[number]["to"] | "/";
  readonly title: string;
  readonly icon: ComponentType;
  readonly showsTitles: boolean;
  readonly onNavigate: () => void;
}

function MenuLink({ to, title, icon: Icon, showsTitles, onNavigate }: MenuLinkProps) {
  const { pathname } = useLocation();
  const isExact = to === "/" || to === "/console";
  return (
    <Tooltip label={title} position="right" disabled={showsTitles}>
      <NavLink
        component={Link}
        to={to}
        onClick={onNavigate}
        label={showsTitles ? title : <VisuallyHidden>{title}</VisuallyHidden>}
        leftSection={<Icon />}
        active={isExact ? pathname.replace(/(.)\/$/, "$1") === to : pathname.startsWith(to)}
        activeOptions={{ exact: isExact, includeSearch: false }}
        mb={2}
      />
    </Tooltip>
  );
}
