// The charts of the overview and of an app: in one script with the library that draws them.
export { AppCharts } from "./app-charts.tsx";
export { Traffic } from "./traffic.tsx";
