/** What the editor shows to a new visitor. */
export const firstQuery = `# Queries, mutations and subscriptions of this platform, with your session.
# Ctrl+Space completes, Ctrl+Enter runs the operation with the cursor, Ctrl+click on a field shows its documentation.

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
