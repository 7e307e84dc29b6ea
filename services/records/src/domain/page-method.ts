/** Stands in place of the method of a request for what took time in the page of an app. Lists of requests leave it out. */
export const pageMethod = "PAGE";
