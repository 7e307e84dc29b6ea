/** What the editor shows to a new visitor. */
export const firstQuery = `# Queries, mutations and subscriptions of this platform, with your session.
# Ctrl+Space completes, Ctrl+Enter runs. The documentation is on the left.

query WhoAmI {
  viewer {
    subject
    displayName
    permissions
  }
}

query Apps {
  apps(first: 10) {
    edges {
      node {
        name
        version
        state
      }
    }
    totalCount
  }
}

subscription Events {
  systemEvent {
    type
    appName
    message
    timestamp
  }
}
`;
