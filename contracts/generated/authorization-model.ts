// Generated from contracts/authorization/model.fga by `npm run generate`. Do not edit.

import type { AuthorizationModelJson } from "../authorization/model-json.ts";

/** Source text of the model. */
export const authorizationModelText: string = "model\n  schema 1.1\ntype user\ntype machine\ntype group\n  relations\n    define member: [user]\ntype app\n  relations\n    define owner: [user, machine, group#member, role#assignee, platform_role#assignee]\n    define editor: [user, machine, group#member, role#assignee, platform_role#assignee] or owner\n    define viewer: [user, user:*, machine, app, group#member, role#assignee, platform_role#assignee] or editor\ntype role\n  relations\n    define assignee: [user, machine, app, group#member, role#assignee]\ntype platform_role\n  relations\n    define assignee: [user, role#assignee]\ntype permission_scope\n  relations\n    define viewer_app: [app]\n    define editor_app: [app]\n    define owner_app: [app]\n    define can_grant: [platform_role#assignee, role#assignee]\n    define holder: [user, machine, app, group#member, role#assignee, platform_role#assignee] or can_grant or viewer from viewer_app or editor from editor_app or owner from owner_app\n";

/** The same model in the JSON form of OpenFGA's API. */
export const authorizationModel: AuthorizationModelJson = {
  "schema_version": "1.1",
  "type_definitions": [
    {
      "type": "user",
      "relations": {},
      "metadata": null
    },
    {
      "type": "machine",
      "relations": {},
      "metadata": null
    },
    {
      "type": "group",
      "relations": {
        "member": {
          "this": {}
        }
      },
      "metadata": {
        "relations": {
          "member": {
            "directly_related_user_types": [
              {
                "type": "user"
              }
            ]
          }
        }
      }
    },
    {
      "type": "app",
      "relations": {
        "owner": {
          "this": {}
        },
        "editor": {
          "union": {
            "child": [
              {
                "this": {}
              },
              {
                "computedUserset": {
                  "relation": "owner"
                }
              }
            ]
          }
        },
        "viewer": {
          "union": {
            "child": [
              {
                "this": {}
              },
              {
                "computedUserset": {
                  "relation": "editor"
                }
              }
            ]
          }
        }
      },
      "metadata": {
        "relations": {
          "owner": {
            "directly_related_user_types": [
              {
                "type": "user"
              },
              {
                "type": "machine"
              },
              {
                "type": "group",
                "relation": "member"
              },
              {
                "type": "role",
                "relation": "assignee"
              },
              {
                "type": "platform_role",
                "relation": "assignee"
              }
            ]
          },
          "editor": {
            "directly_related_user_types": [
              {
                "type": "user"
              },
              {
                "type": "machine"
              },
              {
                "type": "group",
                "relation": "member"
              },
              {
                "type": "role",
                "relation": "assignee"
              },
              {
                "type": "platform_role",
                "relation": "assignee"
              }
            ]
          },
          "viewer": {
            "directly_related_user_types": [
              {
                "type": "user"
              },
              {
                "type": "user",
                "wildcard": {}
              },
              {
                "type": "machine"
              },
              {
                "type": "app"
              },
              {
                "type": "group",
                "relation": "member"
              },
              {
                "type": "role",
                "relation": "assignee"
              },
              {
                "type": "platform_role",
                "relation": "assignee"
              }
            ]
          }
        }
      }
    },
    {
      "type": "role",
      "relations": {
        "assignee": {
          "this": {}
        }
      },
      "metadata": {
        "relations": {
          "assignee": {
            "directly_related_user_types": [
              {
                "type": "user"
              },
              {
                "type": "machine"
              },
              {
                "type": "app"
              },
              {
                "type": "group",
                "relation": "member"
              },
              {
                "type": "role",
                "relation": "assignee"
              }
            ]
          }
        }
      }
    },
    {
      "type": "platform_role",
      "relations": {
        "assignee": {
          "this": {}
        }
      },
      "metadata": {
        "relations": {
          "assignee": {
            "directly_related_user_types": [
              {
                "type": "user"
              },
              {
                "type": "role",
                "relation": "assignee"
              }
            ]
          }
        }
      }
    },
    {
      "type": "permission_scope",
      "relations": {
        "viewer_app": {
          "this": {}
        },
        "editor_app": {
          "this": {}
        },
        "owner_app": {
          "this": {}
        },
        "can_grant": {
          "this": {}
        },
        "holder": {
          "union": {
            "child": [
              {
                "this": {}
              },
              {
                "computedUserset": {
                  "relation": "can_grant"
                }
              },
              {
                "tupleToUserset": {
                  "computedUserset": {
                    "relation": "viewer"
                  },
                  "tupleset": {
                    "relation": "viewer_app"
                  }
                }
              },
              {
                "tupleToUserset": {
                  "computedUserset": {
                    "relation": "editor"
                  },
                  "tupleset": {
                    "relation": "editor_app"
                  }
                }
              },
              {
                "tupleToUserset": {
                  "computedUserset": {
                    "relation": "owner"
                  },
                  "tupleset": {
                    "relation": "owner_app"
                  }
                }
              }
            ]
          }
        }
      },
      "metadata": {
        "relations": {
          "viewer_app": {
            "directly_related_user_types": [
              {
                "type": "app"
              }
            ]
          },
          "editor_app": {
            "directly_related_user_types": [
              {
                "type": "app"
              }
            ]
          },
          "owner_app": {
            "directly_related_user_types": [
              {
                "type": "app"
              }
            ]
          },
          "can_grant": {
            "directly_related_user_types": [
              {
                "type": "platform_role",
                "relation": "assignee"
              },
              {
                "type": "role",
                "relation": "assignee"
              }
            ]
          },
          "holder": {
            "directly_related_user_types": [
              {
                "type": "user"
              },
              {
                "type": "machine"
              },
              {
                "type": "app"
              },
              {
                "type": "group",
                "relation": "member"
              },
              {
                "type": "role",
                "relation": "assignee"
              },
              {
                "type": "platform_role",
                "relation": "assignee"
              }
            ]
          }
        }
      }
    }
  ]
};
