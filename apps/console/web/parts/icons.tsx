import { brandingPaths } from "@appserver/contracts/branding";
import type { ReactNode } from "react";

function icon(content: ReactNode) {
  return function Icon() {
    return (
      <svg
        aria-hidden="true"
        width="20"
        height="20"
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.8"
        strokeLinecap="round"
        strokeLinejoin="round"
      >
        {content}
      </svg>
    );
  };
}

export const OverviewIcon = icon(<path d="M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 7h6V4h-6z" />);
export const HomeIcon = icon(<path d="M4 11l8-7 8 7M6 9.5V20h12V9.5M10 20v-6h4v6" />);
export const StarIcon = icon(<path d="M12 3.5l2.6 5.4 5.9.8-4.3 4.1 1 5.9-5.2-2.8-5.2 2.8 1-5.9-4.3-4.1 5.9-.8z" />);
export const AppsIcon = icon(<path d="M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z" />);
export const HooksIcon = icon(<path d="M12 3v10a4 4 0 1 1-4 4M12 3a2 2 0 1 0 0 4M9 14l-1 3" />);
export const NotificationsIcon = icon(<path d="M6 17V11a6 6 0 0 1 12 0v6l2 2H4zM10 22h4" />);
export const BackupsIcon = icon(<path d="M4 4h16v5H4zM5 9v11h14V9M10 13h4" />);
export const ActivitiesIcon = icon(<path d="M12 3a9 9 0 1 0 9 9M12 7v5l3 2M16 3h5v5M21 3l-5 5" />);
export const EventsIcon = icon(<path d="M3 12h4l3-8 4 16 3-8h4" />);
export const LightIcon = icon(
  <path d="M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5 19 19M19 5l-1.5 1.5M6.5 17.5 5 19" />,
);
export const DarkIcon = icon(<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z" />);
export const SystemIcon = icon(<path d="M3 5h18v11H3zM8 20h8M12 16v4" />);
export const CollapseIcon = icon(<path d="M4 4h16v16H4zM9 4v16M15 10l-2 2 2 2" />);
export const UserIcon = icon(<path d="M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c0-4 4-6 8-6s8 2 8 6" />);
export const CloseIcon = icon(<path d="M6 6l12 12M18 6 6 18" />);
export const AuditIcon = icon(<path d="M6 3h9l4 4v14H6zM9 12h7M9 16h7M9 8h3" />);
export const PlatformIcon = icon(<path d="M4 4h16v6H4zM4 14h16v6H4zM8 7h.01M8 17h.01M12 7h4M12 17h4" />);
export const SearchIcon = icon(<path d="M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5" />);
export const TracesIcon = icon(<path d="M3 5h9M7 10h8M11 15h7M15 20h6M3 5v0M7 10v0" />);
export const AccessIcon = icon(<path d="M8 17a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM13 12h9M17 12v4M21 12v3" />);
export const MoreIcon = icon(<path d="M5 12h.01M12 12h.01M19 12h.01" strokeWidth="3" />);
export const CopyIcon = icon(<path d="M9 9h11v11H9zM5 15H4V4h11v1" />);
export const CopiedIcon = icon(<path d="M5 13l4 4L19 7" />);
export const HelpIcon = icon(<path d="M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.5h.01" />);

/** The logo of the platform. Its name stands next to it. */
export function BrandIcon() {
  return <img className="brand-logo" src={brandingPaths.logo} alt="" width="24" height="24" />;
}
