import { mount } from "./notes.tsx";

// The page in a tab of its own. It calls the backend with the session of its visitor, so the app needs `page:origin`.
const element = document.querySelector<HTMLElement>("#notes");
if (element) mount(element);
