// Made from docs/openapi/amplifierd.json by UPDATE_DOCS=1 npm test -- packages/daemon; do not edit.

export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Is the process alive? */
        get: operations["getHealthz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Can it serve?
         * @description 503 while a background loop (runs, leases, events, webhooks) fails: `loops` says which. `degraded` if a loop has skipped items; the messages are at /api/v1/status.
         */
        get: operations["getReadyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is running here
         * @description Needs the scope `read`. Not for tokens of a tenant.
         */
        get: operations["getStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the installation
         * @description The checks of `amplifier doctor` on the machine of the daemon, and of the daemon itself. External agents are not started. On the user’s own home this includes settings, providers and sessions of the working folder; a deployment checks only the machine. Needs the scope `admin`. Not for tokens of a tenant.
         */
        get: operations["getDoctor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Figures for Prometheus
         * @description Needs the scope `read`. Not for tokens of a tenant.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This description
         * @description Needs the scope `read`.
         */
        get: operations["getOpenapiJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List collections
         * @description Needs the scope `read`.
         */
        get: operations["getCollections"];
        put?: never;
        /**
         * Register a collection and sync it
         * @description Needs the scope `admin`. Not for tokens of a tenant.
         */
        post: operations["postCollections"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collections/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync all collections, or one
         * @description Finds and compiles their profiles. With "Accept: application/x-ndjson" it streams progress line by line. Needs the scope `admin`. Not for tokens of a tenant.
         */
        post: operations["postCollectionsSync"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collections/component-refs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List every ref that profiles use, by kind
         * @description Needs the scope `read`.
         */
        get: operations["getCollectionsComponentRefs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collections/{collection}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a collection
         * @description Needs the scope `read`.
         */
        get: operations["getCollectionsCollection"];
        put?: never;
        post?: never;
        /**
         * Unregister a collection and its profiles
         * @description Needs the scope `admin`. Not for tokens of a tenant.
         */
        delete: operations["deleteCollectionsCollection"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collections/{collection}/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync one collection
         * @description Needs the scope `admin`. Not for tokens of a tenant.
         */
        post: operations["postCollectionsCollectionSync"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collections/{collection}/profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the profiles of a collection
         * @description Needs the scope `read`.
         */
        get: operations["getCollectionsCollectionProfiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List profiles
         * @description Needs the scope `read`.
         */
        get: operations["getProfiles"];
        put?: never;
        /**
         * Write a profile of the collection local
         * @description Needs the scope `admin`. Not for tokens of a tenant.
         */
        post: operations["postProfiles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profiles/active": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the active profile
         * @description Needs the scope `read`.
         */
        get: operations["getProfilesActive"];
        /**
         * Choose the active profile
         * @description Needs the scope `admin`. Not for tokens of a tenant.
         */
        put: operations["putProfilesActive"];
        post?: never;
        /**
         * Deactivate the active profile
         * @description Needs the scope `admin`. Not for tokens of a tenant.
         */
        delete: operations["deleteProfilesActive"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profiles/{collection}/{profile}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a profile
         * @description Needs the scope `read`.
         */
        get: operations["getProfilesCollectionProfile"];
        put?: never;
        post?: never;
        /**
         * Delete a profile of the collection local
         * @description Needs the scope `admin`. Not for tokens of a tenant.
         */
        delete: operations["deleteProfilesCollectionProfile"];
        options?: never;
        head?: never;
        /**
         * Write a profile of the collection local anew
         * @description Needs the scope `admin`. Not for tokens of a tenant.
         */
        patch: operations["patchProfilesCollectionProfile"];
        trace?: never;
    };
    "/api/v1/profiles/{collection}/{profile}/compile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compile a profile from its collection
         * @description Needs the scope `admin`. Not for tokens of a tenant.
         */
        post: operations["postProfilesCollectionProfileCompile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profiles/{collection}/{profile}/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a profile the active one
         * @description Needs the scope `admin`. Not for tokens of a tenant.
         */
        post: operations["postProfilesCollectionProfileActivate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profiles/{collection}/{profile}/copy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Copy a profile to the collection local
         * @description Needs the scope `admin`. Not for tokens of a tenant.
         */
        post: operations["postProfilesCollectionProfileCopy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profiles/{collection}/{profile}/lock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a compiled profile
         * @description Needs the scope `read`.
         */
        get: operations["getProfilesCollectionProfileLock"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profiles/{collection}/{profile}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check whether a profile is up to date with its collection
         * @description Needs the scope `read`.
         */
        get: operations["getProfilesCollectionProfileStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/mount-plans/generate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate a mount plan from a profile
         * @description Stores the plan with a session in status `created`; with `dry_run` it stores nothing and returns 200. Needs the scope `run`.
         */
        post: operations["postMountPlansGenerate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/mount-plans/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a mount plan
         * @description Checks for missing resources, duplicate ids and invalid configuration. Only files of the daemon itself are read. Needs the scope `read`.
         */
        post: operations["postMountPlansValidate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/mount-plans/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check whether plans can be created and stored
         * @description Needs the scope `read`.
         */
        get: operations["getMountPlansHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/mount-plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List mount plans, newest first
         * @description Needs the scope `read`.
         */
        get: operations["getMountPlans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/mount-plans/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a mount plan
         * @description `format=core` returns the form the kernel mounts. Needs the scope `read`.
         */
        get: operations["getMountPlansSessionId"];
        put?: never;
        post?: never;
        /**
         * Delete a mount plan that no session uses
         * @description Needs the scope `run`.
         */
        delete: operations["deleteMountPlansSessionId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/mount-plans/{session_id}/sub-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a child session, with an overlay on the parent’s plan
         * @description The child starts from its parent’s plan and settings. `agent_overlay` has the sections agents, context, providers, tools, hooks and session; entries take `enabled`, `config`, and for new agents `content` or `source`. Needs the scope `run`.
         */
        post: operations["postMountPlansSessionIdSubSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/cleanup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove old sessions
         * @description Never removes an active session or an ancestor of a kept one. Parameters go in the body or the query. Needs the scope `admin`.
         */
        post: operations["postSessionsCleanup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a session
         * @description Needs the scope `read`.
         */
        get: operations["getSessionsSessionId"];
        put?: never;
        post?: never;
        /**
         * Delete a session and all its files
         * @description Needs the scope `run`.
         */
        delete: operations["deleteSessionsSessionId"];
        options?: never;
        head?: never;
        /**
         * Change the name or the metadata of a session
         * @description Members of `metadata` replace those of the same name; null removes one. Needs the scope `run`.
         */
        patch: operations["patchSessionsSessionId"];
        trace?: never;
    };
    "/api/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sessions, newest first
         * @description Filters apply before the limit. A page has about 1 MB, but at least one session; the next is in the headers Link and X-Next-Cursor. Needs the scope `read`.
         */
        get: operations["getSessions"];
        put?: never;
        /**
         * Create a session with its mount plan
         * @description Without a profile, the active one is used. The session is `created` until it is started. Needs the scope `run`.
         */
        post: operations["postSessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/active": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List active sessions
         * @description Needs the scope `read`.
         */
        get: operations["getSessionsActive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search sessions by message text
         * @description Searches ids, names and messages, newest session first. Follow the cursor to search further back. Needs the scope `read`.
         */
        get: operations["getSessionsSearch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a session
         * @description Needs the scope `run`.
         */
        post: operations["postSessionsSessionIdStart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete a session
         * @description Needs the scope `run`.
         */
        post: operations["postSessionsSessionIdComplete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/fail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark a session as failed
         * @description Needs the scope `run`.
         */
        post: operations["postSessionsSessionIdFail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/terminate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Terminate a session
         * @description Needs the scope `run`.
         */
        post: operations["postSessionsSessionIdTerminate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make an ended session active again
         * @description Needs the scope `run`.
         */
        post: operations["postSessionsSessionIdResume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/transcript": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the messages of a session
         * @description Returns the end first: repeat with `before` set to the first seq until `X-Has-More` is false; `Link` with `rel="next"` names that page. A page has at most 1,000 messages and about 1 MB, but at least one message, however large. Seqs start at 1 and have no gaps. `X-Feed-Position` is a position of the event feed: follow after it with `messages=true`, ignoring messages that are already known by their seq. Needs the scope `read`.
         */
        get: operations["getSessionsSessionIdTranscript"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Append a message
         * @description The message is on disk when the response arrives. Only an active session accepts messages. Needs the scope `run`.
         */
        post: operations["postSessionsSessionIdMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/children": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the direct children of a session, oldest first
         * @description Needs the scope `read`.
         */
        get: operations["getSessionsSessionIdChildren"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/lineage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the sessions above a session, from its root down to itself
         * @description Needs the scope `read`.
         */
        get: operations["getSessionsSessionIdLineage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/fork": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin a new session with the conversation of another
         * @description Needs the scope `run`.
         */
        post: operations["postSessionsSessionIdFork"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a whole session as lines of JSON
         * @description It is read while it is sent, at the pace of the reader. A copy that ends without its last line (`"kind":"end"`) is not complete. A caller has 8 large answers at once; more requests wait. Needs the scope `read`.
         */
        get: operations["getSessionsSessionIdExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import an exported session
         * @description The body is an export, sent as application/x-ndjson. It is imported as a whole or not at all, without its launch record: this daemon decides what the session may do. With scope `run`, its plan must be one that the token could create here. A child stays below its parent if the token sees that here and the limits allow another child; without a parent here, it becomes a root. Needs the scope `run`.
         */
        post: operations["postSessionsImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/mount-plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the mount plan of a session
         * @description Needs the scope `read`.
         */
        get: operations["getSessionsSessionIdMountPlan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get or follow the events of a session
         * @description With `Accept: text/event-stream` it is an open stream: the id of each event is its position in the feed, which is the same in every stream, and a client that reconnects with `Last-Event-ID` (or `after`) gets everything since then, once. `synced` says that everything stored has been sent; `gap` that the client reads too slowly: what it has missed follows, or can be read from the `after` it names; `reset` that the position is not one of this record; `shutdown` that the daemon is stopping; `revoked` that the token is no longer valid. Without a position it starts with the first event. Needs the scope `read`.
         */
        get: operations["getSessionsSessionIdEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get or follow the events of all sessions
         * @description With `Accept: text/event-stream` it is an open stream: the id of each event is its position in the feed, which is the same in every stream, and a client that reconnects with `Last-Event-ID` (or `after`) gets everything since then, once. `synced` says that everything stored has been sent; `gap` that the client reads too slowly: what it has missed follows, or can be read from the `after` it names; `reset` that the position is not one of this record; `shutdown` that the daemon is stopping; `revoked` that the token is no longer valid. Without a position the stream starts now: it has every event stored after the response headers were sent. `X-Next-Cursor` is the position at which it starts; a page without a position is empty and has the current one there. Needs the scope `read`.
         */
        get: operations["getEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream live text of the sessions at this daemon
         * @description For other daemons of the same record; other clients use `deltas` of events, which every daemon has. One line of JSON per piece. Needs the scope `read`. Not for tokens of a tenant.
         */
        get: operations["getLive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Needs the scope `admin`.
         */
        get: operations["getWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Default `events`: those of runs and approvals. Each event is a POST with `{type, timestamp, data}` and the headers of Standard Webhooks: `webhook-id` (the same in every attempt: receivers must ignore one they have handled), `webhook-timestamp` and `webhook-signature`. Any response other than 2xx is retried, for about a day and a half. Private addresses and redirects are refused unless the operator allows private ones. Needs the scope `admin`.
         */
        post: operations["postWebhooks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook
         * @description Needs the scope `admin`.
         */
        get: operations["getWebhooksWebhookId"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook and its deliveries
         * @description Needs the scope `admin`.
         */
        delete: operations["deleteWebhooksWebhookId"];
        options?: never;
        head?: never;
        /**
         * Change a webhook, or disable it
         * @description Needs the scope `admin`.
         */
        patch: operations["patchWebhooksWebhookId"];
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook
         * @description Needs the scope `admin`.
         */
        get: operations["getWebhooksWebhookIdDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again
         * @description Needs the scope `admin`.
         */
        post: operations["postWebhooksWebhookIdDeliveriesDeliveryIdRedeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the runs of a session, newest first
         * @description Needs the scope `read`.
         */
        get: operations["getSessionsSessionIdRuns"];
        put?: never;
        /**
         * Run a session with an instruction
         * @description The run is on disk when the response arrives, and continues if the client disconnects. A session that has ended becomes active again. Needs the scope `run`.
         */
        post: operations["postSessionsSessionIdRuns"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/delegate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delegate a task to a child of a session
         * @description The options decide what the child inherits from the session. The session itself need not be running; several delegations can run at once. With `session_id`, an existing child gets another instruction. Needs the scope `run`.
         */
        post: operations["postSessionsSessionIdDelegate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the runs of all sessions, newest first
         * @description Ended runs are kept for a week; their effects stay in the sessions. Needs the scope `read`.
         */
        get: operations["getRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a run by its id alone
         * @description Needs the scope `read`.
         */
        get: operations["getRunsRunId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a run
         * @description Needs the scope `read`.
         */
        get: operations["getSessionsSessionIdRunsRunId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/runs/{run_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a run
         * @description A queued run ends immediately. The request is stored, so it also applies if the daemon dies. Needs the scope `run`.
         */
        post: operations["postSessionsSessionIdRunsRunIdCancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/runs/{run_id}/continue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Continue an interrupted run
         * @description Creates a new run. Completed work is kept: finished children are not run again, and answers given meanwhile are used. Needs the scope `run`.
         */
        post: operations["postSessionsSessionIdRunsRunIdContinue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the agents that a session can delegate to
         * @description Agents of its mount plan first, then the external coding agents, installed or not. Needs the scope `read`.
         */
        get: operations["getSessionsSessionIdAgents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the pending approvals of all sessions, oldest first
         * @description Needs the scope `read`.
         */
        get: operations["getApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the approvals of a session and its descendants, oldest first
         * @description Needs the scope `read`.
         */
        get: operations["getSessionsSessionIdApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/approvals/{approval_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an approval
         * @description Needs the scope `read`.
         */
        get: operations["getSessionsSessionIdApprovalsApprovalId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/approvals/{approval_id}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer an approval, once
         * @description The answer is on disk when the response arrives. It applies when the session continues, also after a restart of the daemon. Needs the scope `run`.
         */
        post: operations["postSessionsSessionIdApprovalsApprovalIdAnswer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/proposals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List pending proposals and those that can be undone, oldest first
         * @description Needs the scope `read`.
         */
        get: operations["getProposals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/proposals/clean": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove old proposals and old undo data
         * @description Needs the scope `admin`.
         */
        post: operations["postProposalsClean"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/proposals/{proposal_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a proposal with its diff
         * @description Needs the scope `read`.
         */
        get: operations["getProposalsProposalId"];
        put?: never;
        post?: never;
        /**
         * Throw a proposal away
         * @description Needs the scope `run`.
         */
        delete: operations["deleteProposalsProposalId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/proposals/{proposal_id}/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Apply a proposal: all of it, or nothing if a file has changed since
         * @description Needs a trusted folder, like the mode `write`, and the scope `admin` if sessions may not write (`runs.safety_mode`). Needs the scope `run`.
         */
        post: operations["postProposalsProposalIdApply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/proposals/{proposal_id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo an applied proposal exactly
         * @description Needs a trusted folder, like the mode `write`, and the scope `admin` if sessions may not write (`runs.safety_mode`). Needs the scope `run`.
         */
        post: operations["postProposalsProposalIdUndo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/tree": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a session with its descendants
         * @description To follow it: the events of this session with `children=true` after `cursor`, ignoring those that `event_seq` of their node already covers. `feed_cursor` is the same position. Needs the scope `read`.
         */
        get: operations["getSessionsSessionIdTree"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/trees": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List delegations, newest first: their roots, with the totals of each tree
         * @description Needs the scope `read`.
         */
        get: operations["getTrees"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what waits for a person, newest first
         * @description Approvals and questions of all sessions, delegations that failed within 7 days, and those whose process died. Needs the scope `read`.
         */
        get: operations["getInbox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/steer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message to a running session
         * @description The session reads it at its next step, also if another process, such as a terminal, runs it. An idle session reads it before its next instruction. Needs the scope `run`.
         */
        post: operations["postSessionsSessionIdSteer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a session, alone or with its descendants
         * @description Also if another process, such as a terminal, runs it. Its queued runs are withdrawn. Needs the scope `run`.
         */
        post: operations["postSessionsSessionIdCancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/continue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Continue a session whose process died during a turn
         * @description Completed work is kept: finished children are not run again. Needs the scope `run`.
         */
        post: operations["postSessionsSessionIdContinue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/launch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what a session was launched with: permissions, limits and usage, model, context
         * @description Needs the scope `read`.
         */
        get: operations["getSessionsSessionIdLaunch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/delegate/dry-run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show the launch record of a delegation without running it
         * @description Needs the scope `run`.
         */
        post: operations["postSessionsSessionIdDelegateDryRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the timeline of a session and its descendants, as spans
         * @description Derived from the logs: turns, model calls, tools and waits for people. A page has the spans of up to 200 sessions, parents first, and ends with the session that brings it to 5000 spans. Needs the scope `read`.
         */
        get: operations["getSessionsSessionIdTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/spend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get tokens and cost by day, agent, model or project
         * @description Needs the scope `read`.
         */
        get: operations["getSpend"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/spend/trees": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the most expensive delegations
         * @description Needs the scope `read`.
         */
        get: operations["getSpendTrees"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List every agent with its source, its tools, and the model it would run on now
         * @description Needs the scope `read`.
         */
        get: operations["getAgents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/dry-run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show the launch record of an agent’s session without running it
         * @description Needs the scope `run`.
         */
        post: operations["postAgentsDryRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the effective settings and their files, without secrets
         * @description Needs the scope `admin`. Not for tokens of a tenant.
         */
        get: operations["getSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the model providers, and why one is not usable
         * @description Needs the scope `read`.
         */
        get: operations["getProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/providers/{provider}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make one short call to a provider
         * @description It costs a few tokens. Needs the scope `admin`. Not for tokens of a tenant.
         */
        post: operations["postProvidersProviderTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/demo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a demo delegation on fixed rules: no key, no network, real sessions and read-only tools
         * @description Needs the scope `run`.
         */
        post: operations["postDemo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ag-ui/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a session and stream AG-UI events
         * @description The last message of the user is the instruction. Children are sub-agents; approvals and questions end the stream with the outcome `interrupt`, and `resume` answers them: `payload` is `{approved}`, `{answer}` or the answer itself. The run continues if the client disconnects. Needs the scope `run`.
         */
        post: operations["postAgUiSessionId"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sign-in/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a link that signs in a browser once, within a minute
         * @description `amplifier web` opens this link. The browser gets no more rights than the token that creates it, and its requests and runs count as those of the token. A browser that was signed in with a link of another browser creates no links. Needs the scope `read`.
         */
        post: operations["postSignInLinks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session-of-browser": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get who is signed in
         * @description Needs the scope `read`.
         */
        get: operations["getSessionOfBrowser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign this browser out, or all of them
         * @description With `everywhere`, signs out every browser signed in with the same token; with the scope `admin`, every browser, and revokes all shared links. Needs the scope `read`.
         */
        post: operations["postSignOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}/share": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a link with which anyone can read a session and its descendants, until it expires
         * @description Needs the scope `run`.
         */
        post: operations["postSessionsSessionIdShare"];
        /**
         * Revoke the links that share a session, or one of them
         * @description Needs the scope `run`.
         */
        delete: operations["deleteSessionsSessionIdShare"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tokens, signed-in browsers and shared links, oldest first
         * @description Needs the scope `admin`.
         */
        get: operations["getTokens"];
        put?: never;
        /**
         * Make a token
         * @description Needs the scope `admin`.
         */
        post: operations["postTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens/{token_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a token, a browser or a shared link
         * @description Needs the scope `admin`.
         */
        delete: operations["deleteTokensTokenId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who changed what, newest first
         * @description Every request that changes something is listed, also at `/mcp`; a tenant sees its own. Needs the scope `admin`.
         */
        get: operations["getAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description RFC 9457. `code` is stable; `detail` says what happened, to what, and what to do next. */
        Problem: {
            type: string;
            title: string;
            status: number;
            code: string;
            detail: string;
            instance: string;
            request_id: string;
            errors?: {
                path: string;
                message: string;
            }[];
        } & {
            [key: string]: unknown;
        };
        LoopSign: {
            name: string;
            /** @enum {string} */
            state: "waiting" | "serving" | "retrying" | "stopped";
            /** @description Items skipped since the start because they failed. */
            set_aside: number;
            /** @description Consecutive failures of what it depends on. */
            failures: number;
        };
        RecordSign: {
            /** @enum {string} */
            kind: "file" | "server";
            /** @description The current response time of the record. */
            answer_ms: number;
            /** @description Events not yet sent to followers of this daemon. */
            events_behind: number;
            /** @description Queued runs, at all daemons of the record. */
            waiting: number;
            running: number;
            /** @description How long the run has waited that waits longest. */
            oldest_seconds: number;
        };
        Loop: components["schemas"]["LoopSign"] & {
            last_error: {
                time: string;
                code: string | null;
                message: string;
                item: string | null;
            } | null;
        };
        Check: {
            name: string;
            /**
             * @description `missing` is a warning, `broken` an error.
             * @enum {string}
             */
            state: "ok" | "missing" | "broken";
            detail: string;
            /** @description The next step, mostly a command. */
            fix: string | null;
        };
        CollectionInfo: {
            identifier: string;
            source: string;
            installed_at: string | null;
            profiles: string[];
        };
        /**
         * @example {
         *       "identifier": "acme",
         *       "source": "git+https://example.org/acme/profiles@main"
         *     }
         */
        NewCollection: {
            identifier: string;
            source: string;
        };
        SyncResult: {
            collections: {
                [key: string]: "synced" | "updated" | "skipped" | "error";
            };
            profiles: {
                [key: string]: "compiled" | "unchanged" | "pruned" | "error";
            };
            problems: {
                collection: string;
                profile: string | null;
                code: string;
                message: string;
            }[];
            warnings: {
                profile: string;
                message: string;
            }[];
            removed_versions: string[];
        };
        ProfileInfo: {
            profile_id: string;
            name: string;
            collection_id: string;
            version: string;
            schema_version: number;
            description: string;
            is_active: boolean;
            lock_hash: string;
        };
        ProfileDetails: components["schemas"]["ProfileInfo"] & {
            session: components["schemas"]["ProfileSessionConfig"];
            providers: components["schemas"]["ModuleConfig"][];
            tools: components["schemas"]["ModuleConfig"][];
            hooks: components["schemas"]["ModuleConfig"][];
            agents: {
                [key: string]: string | null;
            };
            context: {
                [key: string]: string | null;
            };
            task: {
                [key: string]: unknown;
            };
            ui: {
                [key: string]: unknown;
            };
            extra: {
                [key: string]: unknown;
            };
            instruction: string;
            /** @description As it was written. */
            manifest: string;
            warnings: string[];
        };
        ProfileSessionConfig: {
            orchestrator: components["schemas"]["ModuleConfig"];
            context_manager: components["schemas"]["ModuleConfig"];
            settings: {
                [key: string]: unknown;
            };
        };
        ModuleConfig: {
            module: string;
            source: string | null;
            config: {
                [key: string]: unknown;
            };
        } | null;
        /**
         * @example {
         *       "name": "mine",
         *       "manifest": "---\nprofile:\n  name: mine\n  version: 0.1.0\n  schema_version: 2\n---\nYou help.\n"
         *     }
         */
        NewProfile: {
            name: string;
            manifest: string;
        };
        MountPlan: {
            format_version: number;
            session: components["schemas"]["PlanSession"];
            mount_points: (components["schemas"]["EmbeddedMount"] | components["schemas"]["ReferencedMount"])[];
            orchestrator: components["schemas"]["EmbeddedMount"] | components["schemas"]["ReferencedMount"] | null;
            context_manager: components["schemas"]["EmbeddedMount"] | components["schemas"]["ReferencedMount"] | null;
            agents: {
                [key: string]: components["schemas"]["EmbeddedMount"] | components["schemas"]["ReferencedMount"];
            };
            context: {
                [key: string]: components["schemas"]["EmbeddedMount"] | components["schemas"]["ReferencedMount"];
            };
            providers: {
                [key: string]: components["schemas"]["EmbeddedMount"] | components["schemas"]["ReferencedMount"];
            };
            tools: {
                [key: string]: components["schemas"]["EmbeddedMount"] | components["schemas"]["ReferencedMount"];
            };
            hooks: {
                [key: string]: components["schemas"]["EmbeddedMount"] | components["schemas"]["ReferencedMount"];
            };
            /** @description Reserved; always empty. */
            profiles: {
                [key: string]: components["schemas"]["EmbeddedMount"] | components["schemas"]["ReferencedMount"];
            };
        };
        PlanSession: {
            session_id: string;
            profile_id: string;
            /** @default null */
            parent_session_id?: string | null;
            /** @default {} */
            settings?: {
                [key: string]: unknown;
            };
            created_at: string;
            /** @default null */
            lock_hash?: string | null;
            /**
             * @description The profile's own text: the system prompt.
             * @default
             */
            instruction?: string;
            /**
             * @description Plain settings of the profile, such as injection_size_limit.
             * @default {}
             */
            session?: {
                [key: string]: unknown;
            };
            /** @default {} */
            task?: {
                [key: string]: unknown;
            };
            /**
             * @description `roster`: only the agents of the plan may be delegated to.
             * @enum {string}
             */
            agent_access?: "all" | "roster";
            /** @description The bundle’s settings for child sessions. */
            spawn?: {
                [key: string]: unknown;
            };
        };
        EmbeddedMount: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            mount_type: "embedded";
            /** @enum {string} */
            module_type: "agent" | "context";
            content: string;
            /** @example foundation/base.agent.zen-architect */
            module_id: string;
            module?: string;
            /** @default true */
            enabled?: boolean;
            /** @default {} */
            config?: {
                [key: string]: unknown;
            };
            /** @default {} */
            metadata?: {
                [key: string]: unknown;
            };
        };
        ReferencedMount: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            mount_type: "referenced";
            /** @enum {string} */
            module_type: "orchestrator" | "context-manager" | "provider" | "tool" | "hook";
            /** @description A file:// URL into the compiled profile. */
            source_path: string;
            /** @example foundation/base.agent.zen-architect */
            module_id: string;
            module?: string;
            /** @default true */
            enabled?: boolean;
            /** @default {} */
            config?: {
                [key: string]: unknown;
            };
            /** @default {} */
            metadata?: {
                [key: string]: unknown;
            };
        };
        /**
         * @example {
         *       "profile_id": "foundation/base",
         *       "settings_overrides": {
         *         "llm": {
         *           "model": "gpt-4"
         *         }
         *       }
         *     }
         */
        MountPlanRequest: {
            /** @example foundation/base */
            profile_id?: string;
            /** @description The same as `profile_id`. */
            profile_name?: string;
            session_id?: string | null;
            parent_session_id?: string | null;
            /**
             * @example {
             *       "llm": {
             *         "model": "gpt-4"
             *       }
             *     }
             */
            settings_overrides?: {
                [key: string]: unknown;
            } | null;
            agent_overlay?: {
                [key: string]: unknown;
            } | null;
            /** @description Create the plan, store nothing. */
            dry_run?: boolean;
        };
        PostedMountPlan: {
            /** @default 1 */
            format_version?: number;
            session: {
                session_id?: string;
                profile_id?: string;
            } & {
                [key: string]: unknown;
            };
            mount_points: ({
                mount_type: string;
                module_id: string;
            } & {
                [key: string]: unknown;
            })[];
        } & {
            [key: string]: unknown;
        };
        MountPlanSummary: {
            session_id: string;
            profile_id: string | null;
            parent_session_id: string | null;
            created_at: string;
            mount_point_count: number;
            module_types: {
                [key: string]: number;
            };
        };
        SubSessionRequest: {
            /**
             * @default {}
             * @example {
             *       "agents": {
             *         "zen-architect": {
             *           "enabled": true,
             *           "config": {
             *             "verbose": true
             *           }
             *         }
             *       }
             *     }
             */
            agent_overlay?: {
                [key: string]: unknown;
            };
            settings_overrides?: {
                [key: string]: unknown;
            } | null;
            session_id?: string | null;
            agent_name?: string | null;
            /** @description Start from the current profile, not from the parent’s plan. */
            refresh?: boolean;
            allow_ended_parent?: boolean;
        };
        /** @enum {string} */
        SessionStatus: "created" | "active" | "completed" | "failed" | "terminated";
        SessionMetadata: {
            /** @example session_01KA1B2C3D4E5F6G7H8J9K0M1N */
            session_id: string;
            parent_session_id: string | null;
            root_session_id: string;
            status: components["schemas"]["SessionStatus"];
            /** @description Its process died during a turn. */
            interrupted: boolean;
            /** @example foundation/base */
            profile_id: string | null;
            /** @description The same as `profile_id`. */
            profile_name: string | null;
            name: string | null;
            agent_name: string | null;
            /**
             * Format: date-time
             * @example 2026-01-05T09:01:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-01-05T09:01:00.000Z
             */
            updated_at: string;
            /**
             * Format: date-time
             * @example 2026-01-05T09:01:00.000Z
             */
            ended_at: string | null;
            message_count: number;
            turn_count: number;
            /** @description Relative to the session folder. */
            mount_plan_path: string;
            /**
             * Format: date-time
             * @example 2026-01-05T09:01:00.000Z
             */
            started_at: string | null;
            /** @description From creation to end. */
            duration_ms: number | null;
            agent_invocations: number;
            token_usage: number | null;
            usage: {
                [key: string]: unknown;
            };
            error_message: string | null;
            error_details: {
                [key: string]: unknown;
            } | null;
            depth: number;
            model: string | null;
            working_dir: string | null;
            /** @description The app's own. */
            metadata: {
                [key: string]: unknown;
            };
            forked_from: {
                [key: string]: unknown;
            } | null;
            allowed_transitions: string[];
            /** @description Rises with every change; also the ETag. */
            version: number;
        };
        /**
         * @example {
         *       "profile_name": "foundation/base"
         *     }
         */
        CreateSessionRequest: {
            /** @example foundation/base */
            profile_id?: string;
            /** @description The same as `profile_id`. */
            profile_name?: string;
            session_id?: string | null;
            parent_session_id?: string | null;
            /**
             * @example {
             *       "llm": {
             *         "model": "gpt-4"
             *       }
             *     }
             */
            settings_overrides?: {
                [key: string]: unknown;
            } | null;
            agent_overlay?: {
                [key: string]: unknown;
            } | null;
            name?: string | null;
            metadata?: {
                [key: string]: unknown;
            };
            working_dir?: string | null;
            /** @description The host or pool that executes its runs. Default: that of its folder. */
            place?: string;
            auto_start?: boolean;
            /**
             * @description What of the session may reach the network: `false`, `tools` (all but commands) or `true`; at most what profile and daemon allow. Model calls are not affected.
             * @example false
             */
            network?: false | "tools" | true;
        };
        SessionIndexEntry: {
            /** @example session_01KA1B2C3D4E5F6G7H8J9K0M1N */
            session_id: string;
            parent_session_id: string | null;
            root_session_id: string;
            status: components["schemas"]["SessionStatus"];
            /** @description Its process died during a turn. */
            interrupted: boolean;
            /** @example foundation/base */
            profile_id: string | null;
            /** @description The same as `profile_id`. */
            profile_name: string | null;
            name: string | null;
            agent_name: string | null;
            /**
             * Format: date-time
             * @example 2026-01-05T09:01:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-01-05T09:01:00.000Z
             */
            updated_at: string;
            /**
             * Format: date-time
             * @example 2026-01-05T09:01:00.000Z
             */
            ended_at: string | null;
            message_count: number;
            turn_count: number;
            /** @description Relative to the session folder. */
            mount_plan_path: string;
        };
        /**
         * @example {
         *       "error_message": "The provider refused the key."
         *     }
         */
        FailSessionRequest: {
            error_message: string;
            error_details?: {
                [key: string]: unknown;
            } | null;
        };
        SessionMessage: {
            id: string;
            /** @description 1 for the first message; the cursor of a transcript. */
            seq: number;
            turn: number;
            /**
             * Format: date-time
             * @example 2026-01-05T09:01:00.000Z
             */
            timestamp: string;
            /** @enum {string} */
            role: "system" | "developer" | "user" | "assistant" | "function" | "tool";
            content: string | {
                [key: string]: unknown;
            }[];
            agent: string | null;
            token_count: number | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "role": "user",
         *       "content": "Hello Claude"
         *     }
         */
        NewSessionMessage: {
            /** @enum {string} */
            role: "system" | "developer" | "user" | "assistant" | "function" | "tool";
            content: string | (({
                /** @enum {string} */
                type: "text";
                text: string;
                /** @enum {string} */
                visibility?: "internal" | "developer" | "user";
            } & {
                [key: string]: unknown;
            }) | ({
                /** @enum {string} */
                type: "thinking";
                thinking: string;
                signature?: string;
                /** @enum {string} */
                visibility?: "internal" | "developer" | "user";
            } & {
                [key: string]: unknown;
            }) | ({
                /** @enum {string} */
                type: "redacted_thinking";
                data: string;
                /** @enum {string} */
                visibility?: "internal" | "developer" | "user";
            } & {
                [key: string]: unknown;
            }) | ({
                /** @enum {string} */
                type: "tool_call";
                id: string;
                name: string;
                input: {
                    [key: string]: unknown;
                };
                /** @enum {string} */
                visibility?: "internal" | "developer" | "user";
            } & {
                [key: string]: unknown;
            }) | ({
                /** @enum {string} */
                type: "tool_result";
                tool_call_id: string;
                output?: unknown;
                /** @enum {string} */
                visibility?: "internal" | "developer" | "user";
            } & {
                [key: string]: unknown;
            }) | ({
                /** @enum {string} */
                type: "image";
                source: {
                    [key: string]: unknown;
                };
                /** @enum {string} */
                visibility?: "internal" | "developer" | "user";
            } & {
                [key: string]: unknown;
            }) | ({
                /** @enum {string} */
                type: "reasoning";
                content: unknown[];
                summary: unknown[];
                /** @enum {string} */
                visibility?: "internal" | "developer" | "user";
            } & {
                [key: string]: unknown;
            }))[];
            agent?: string | null;
            token_count?: number | null;
            name?: string;
            tool_call_id?: string;
            tool_calls?: ({
                id: string;
                tool: string;
                arguments: {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            })[];
            metadata?: {
                [key: string]: unknown;
            };
        };
        /** @description Something that happened in a session. Clients must ignore names and members they do not know. */
        Event: {
            /** @description 1 for the first event in the log of the session; never repeated, never skipped. Null for events of runs, which are not in the log: use `X-Next-Cursor` to page. */
            seq: number | null;
            id: string;
            /** @example run:ended */
            name: string;
            /** Format: date-time */
            time: string;
            session_id: string;
            parent_id: string | null;
            root_id: string;
            data: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        NewWebhook: components["schemas"]["Webhook"] & {
            /** @description Signs the deliveries. It is not shown again. */
            secret: string;
        };
        Webhook: {
            id: string;
            url: string;
            events: string[];
            description: string | null;
            enabled: boolean;
            /** Format: date-time */
            created_at: string;
            /** @description Rises with every change; also the ETag. */
            version: number;
        };
        /**
         * @example {
         *       "url": "https://example.com/amplifier",
         *       "events": [
         *         "run:ended",
         *         "question:*"
         *       ]
         *     }
         */
        CreateWebhookRequest: {
            /** @example https://example.com/amplifier */
            url: string;
            /** @description Event names; `run:*` matches all that start with `run:`. */
            events?: string[];
            description?: string | null;
        };
        WebhookDelivery: {
            /** @description The header `webhook-id`: the same in every attempt. */
            id: string;
            webhook_id: string;
            event: {
                id: string;
                name: string;
                session_id: string;
                seq: number | null;
                /** Format: date-time */
                time: string;
            };
            /** @enum {string} */
            status: "pending" | "delivered" | "failed";
            attempts: {
                /** Format: date-time */
                at: string;
                status: number | null;
                error: string | null;
                ms: number;
            }[];
            /** Format: date-time */
            next_attempt_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        Run: {
            /** @example run_01KA1B2C3D4E5F6G7H8J9K0M1N */
            run_id: string;
            session_id: string;
            /** @enum {string} */
            kind: "turn" | "delegate" | "continue";
            status: components["schemas"]["RunStatus"];
            instruction: string;
            /**
             * Format: date-time
             * @example 2026-01-05T09:01:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-01-05T09:01:00.000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @example 2026-01-05T09:01:00.000Z
             */
            ended_at: string | null;
            /** @description How often a process started it; more than once after the daemon died. */
            attempts: number;
            /** @description Who cancelled it. */
            cancel_requested: string | null;
            continued_from: string | null;
            busy: string;
            limits: {
                [key: string]: unknown;
            };
            approvals: {
                [key: string]: unknown;
            };
            /** @description For a delegation: the agent. */
            agent: string | null;
            /** @description For a delegation: the child session. */
            child_session_id: string | null;
            /** @description How it ended: `status`, `text` or `partial_text`, `usage`, `cost`, `model_used`, `error` and more. */
            outcome: {
                [key: string]: unknown;
            } | null;
            /** @description What went wrong: `code`, `message`, `retryable`. */
            error: {
                [key: string]: unknown;
            } | null;
        };
        /** @enum {string} */
        RunStatus: "queued" | "running" | "completed" | "needs_input" | "limit" | "refused" | "denied" | "stalled" | "cancelled" | "failed" | "interrupted" | "steered";
        /**
         * @example {
         *       "instruction": "Review the last commit.",
         *       "busy": "queue"
         *     }
         */
        NewRun: {
            instruction: string;
            /**
             * @description Images (PNG, JPEG, GIF, WebP) and small text files to attach to the instruction, in base64. Not with `busy: steer`.
             * @example [
             *       {
             *         "name": "chart.png",
             *         "data": "iVBORw0KGgo="
             *       }
             *     ]
             */
            attachments?: {
                name: string;
                data: string;
            }[];
            /**
             * @description What of this run may reach the network: `false`, `tools` (all but commands) or `true`; at most what the session may.
             * @example false
             */
            network?: false | "tools" | true;
            /**
             * @description If the session is busy: queue, reject (409), pass the text to the active run, or stop the active run and withdraw queued ones.
             * @default queue
             * @enum {string}
             */
            busy?: "queue" | "reject" | "steer" | "interrupt";
            /**
             * @description Sending the same id again returns the first run.
             * @example run_01KA1B2C3D4E5F6G7H8J9K0M1N
             */
            run_id?: string;
            limits?: components["schemas"]["RunLimits"];
            approvals?: components["schemas"]["RunApprovals"];
            /** @description Higher runs before queued runs of other sessions. Default: 0. */
            priority?: number;
            /** @description Wait this many seconds for the end of the run: 200 if it has ended by then, else 202. */
            wait?: number;
        };
        /**
         * @description For this run and everything it delegates; never looser than those of the session. `timeout` and `stall` are seconds, `max_turns` counts model calls.
         * @example {
         *       "max_turns": 20,
         *       "max_tokens": 200000,
         *       "max_cost_usd": "0.50",
         *       "timeout": 600
         *     }
         */
        RunLimits: {
            max_depth?: number;
            max_children?: number;
            max_concurrency?: number;
            max_turns?: number;
            max_tokens?: number | null;
            max_cost_usd?: string | null;
            allow_unpriced?: boolean;
            timeout?: number | null;
            stall?: number | null;
        };
        /**
         * @description How long approvals of this run wait, and the answer after that. Default: the daemon’s configuration.
         * @example {
         *       "timeout_seconds": 60,
         *       "on_timeout": "deny"
         *     }
         */
        RunApprovals: {
            timeout_seconds?: number | null;
            /** @enum {string} */
            on_timeout?: "deny" | "allow" | "leave";
        };
        /**
         * @example {
         *       "agent": "zen-architect",
         *       "instruction": "Look at the module boundaries.",
         *       "context_depth": "recent"
         *     }
         */
        NewDelegation: {
            /** @description Name of the agent. Needed unless session_id is given. */
            agent?: string;
            instruction: string;
            /** @description Continue this session, as named in an earlier result, instead of creating a new one. */
            session_id?: string;
            /**
             * @description How much of the conversation the agent sees.
             * @default recent
             * @enum {string}
             */
            context_depth?: "none" | "recent" | "summary" | "all";
            /**
             * @description Number of turns that count as recent.
             * @default 5
             */
            context_turns?: number;
            /**
             * @description Which content: what was said, also results of agents, or all tool results.
             * @default conversation
             * @enum {string}
             */
            context_scope?: "conversation" | "agents" | "full";
            /** @description Models to try in order; the first that is available is used. Takes precedence over the model role. */
            provider_preferences?: {
                /** @description Such as anthropic or openai. */
                provider: string;
                /** @description A model name; * matches anything, and the newest match is used. */
                model: string;
                config?: {
                    [key: string]: unknown;
                };
            }[];
            /** @description What kind of model the task needs. */
            model_role?: string;
            /**
             * @description Fail if none of the preferences can be met. Without it, the default model is used then.
             * @default false
             */
            strict_preferences?: boolean;
            /** @description Time limit in seconds; null for none. Default: the setting of the delegate tool. */
            timeout?: number | null;
            /** @description JSON Schema that the answer must fit. Leave it out for plain text. */
            output_schema?: {
                [key: string]: unknown;
            };
            /**
             * @description What the agent may change; at most what its parent may. Default: as the agent or its parent has it.
             * @enum {string}
             */
            safety_mode?: "read_only" | "propose" | "write" | "yolo";
            /** @description What of the agent may reach the network: false, tools (all but commands) or true; at most what its parent may. */
            network?: false | "tools" | true;
            /**
             * @description Let the agent work in a separate tree. Its changes are returned as a patch.
             * @enum {string}
             */
            isolation?: "none" | "worktree" | "copy";
            /** @description Inherit only these tools of the parent, by module or tool name. What the agent declares is kept. */
            inherit_tools?: string[];
            /** @description Tools of the parent that are not inherited, by module or tool name. */
            exclude_tools?: string[];
            /** @description Hooks of the parent that are not inherited. */
            exclude_hooks?: string[];
            /** @description Maximum length of the returned answer in characters. The session keeps the full answer. */
            max_result?: number;
            /**
             * @description summary asks the agent to write an answer that fits the maximum length; whole returns it unchanged.
             * @enum {string}
             */
            hand_back?: "whole" | "summary";
            /** @description Names of skills to include in a new session. */
            skills?: string[];
            /**
             * @description Images (PNG, JPEG, GIF, WebP) and small text files to attach to the instruction, in base64. Not with `busy: steer`.
             * @example [
             *       {
             *         "name": "chart.png",
             *         "data": "iVBORw0KGgo="
             *       }
             *     ]
             */
            attachments?: {
                name: string;
                data: string;
            }[];
            /**
             * @description Sending the same id again returns the first run.
             * @example run_01KA1B2C3D4E5F6G7H8J9K0M1N
             */
            run_id?: string;
            limits?: components["schemas"]["RunLimits"];
            approvals?: components["schemas"]["RunApprovals"];
            /** @description Higher runs before queued runs of other sessions. Default: 0. */
            priority?: number;
            /** @description Wait this many seconds for the end of the run: 200 if it has ended by then, else 202. */
            wait?: number;
        };
        RunSummary: {
            /** @example run_01KA1B2C3D4E5F6G7H8J9K0M1N */
            run_id: string;
            session_id: string;
            /** @enum {string} */
            kind: "turn" | "delegate" | "continue";
            status: components["schemas"]["RunStatus"];
            instruction: string;
            /**
             * Format: date-time
             * @example 2026-01-05T09:01:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-01-05T09:01:00.000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @example 2026-01-05T09:01:00.000Z
             */
            ended_at: string | null;
            /** @description How often a process started it; more than once after the daemon died. */
            attempts: number;
            /** @description Who cancelled it. */
            cancel_requested: string | null;
            continued_from: string | null;
        };
        /**
         * @example {
         *       "mode": "immediate",
         *       "by": "ada"
         *     }
         */
        CancelRun: {
            /**
             * @description `graceful` finishes the current step; `immediate` stops it.
             * @default graceful
             * @enum {string}
             */
            mode?: "graceful" | "immediate";
            /**
             * @description Also stop children that run in the background. Children the run waits for always stop.
             * @default true
             */
            cascade?: boolean;
            /** @default user */
            by?: string;
            /** @description Wait this many seconds for the end of the run: 200 if it has ended by then, else 202. */
            wait?: number;
        };
        /**
         * @example {
         *       "wait": 30
         *     }
         */
        ContinueRun: {
            /**
             * @description Sending the same id again returns the first run.
             * @example run_01KA1B2C3D4E5F6G7H8J9K0M1N
             */
            run_id?: string;
            /** @description Wait this many seconds for the end of the run: 200 if it has ended by then, else 202. */
            wait?: number;
        };
        /**
         * @example {
         *       "name": "zen-architect",
         *       "source": "plan",
         *       "description": "Designs simply.",
         *       "installed": true
         *     }
         */
        SessionAgent: {
            /** @description The value for `agent` of `delegate`. */
            name: string;
            /**
             * @description `plan`: of the session’s mount plan. `acp`: an external coding agent of the roster.
             * @enum {string}
             */
            source: "plan" | "acp";
            description: string | null;
            /** @description False for an external agent whose program is not found. */
            installed: boolean;
        };
        Approval: {
            approval_id: string;
            /** @description The session that asks: this one or a descendant. */
            session_id: string;
            root_session_id: string;
            /** @enum {string} */
            kind: "approval" | "question";
            agent: string | null;
            /** @example Agent 'scribe' wants to use write_file: notes.md */
            prompt: string;
            /**
             * @example [
             *       "Allow once",
             *       "Allow always",
             *       "Deny"
             *     ]
             */
            options: string[];
            /**
             * @description The call that waits for the answer; null for a question.
             * @example call_1
             */
            tool_call_id: string | null;
            /**
             * @description Its tool; for an external agent, the kind of the call.
             * @example write_file
             */
            tool_name: string | null;
            /** @description What the tool would be run with, if the transcript does not have it: a hook changed it, or an external agent asks. If null, it is in the transcript, under `tool_call_id`. */
            tool_input: {
                [key: string]: unknown;
            } | null;
            /** @enum {string} */
            status: "pending" | "answered" | "closed";
            /**
             * Format: date-time
             * @example 2026-01-05T09:01:00.000Z
             */
            asked_at: string;
            /**
             * Format: date-time
             * @description When the timeout policy answers; null for never.
             * @example 2026-01-05T09:01:00.000Z
             */
            expires_at: string | null;
            /** @enum {string} */
            on_timeout: "deny" | "allow" | "leave";
            answer: string | null;
            /**
             * Format: date-time
             * @example 2026-01-05T09:01:00.000Z
             */
            answered_at: string | null;
            /** @description `timeout` if the policy answered. */
            answered_by: string | null;
            closed_because: string | null;
        };
        /**
         * @example {
         *       "approved": true,
         *       "by": "ada"
         *     }
         */
        AnswerApproval: {
            /** @description One of the options; for a question, any text. */
            answer?: string;
            /** @description Instead of `answer`: picks the first matching option. */
            approved?: boolean;
            /** @description Sent to the asking session with the answer, such as why not and what to do instead. */
            message?: string;
            /** @description The name of the person who answers. */
            by?: string;
        };
        Proposal: {
            id: string;
            /**
             * @description `proposed` and `left` (its process died) are pending; `applied` can be undone.
             * @enum {string}
             */
            state: "proposed" | "left" | "applied" | "undone";
            session_id: string | null;
            /** @description The folder it is for. */
            target: string;
            /** Format: date-time */
            created_at: string;
            note: string | null;
            /** @description The first 1,000, sorted by path. */
            changes: {
                path: string;
                /** @enum {string} */
                kind: "added" | "deleted" | "modified";
            }[];
            /** @description How many are left out of `changes`. */
            more_changes: number;
        };
        ProposalDetail: components["schemas"]["Proposal"] & {
            diff: string;
            /** @description Created, but ignored by git: not applied. */
            ignored: string[];
            skipped: {
                path: string;
                reason: string;
            }[];
            /** @description Files among the changes that other programs execute later. Only a person may apply such a proposal. */
            acts_later: string[];
        };
        ResolvedProposal: {
            /** @enum {string} */
            status: "applied" | "undone" | "conflict";
            /** @description After an apply: the id that undoes it. */
            id: string;
            conflicts: {
                path: string;
                reason: string;
            }[];
        };
        SessionTreeNode: {
            session_id: string;
            parent_id: string | null;
            agent: string | null;
            status: components["schemas"]["SessionStatus"];
            /**
             * @description How its current turn ended; null if it has not.
             * @example completed
             */
            outcome_status: string | null;
            interrupted: boolean;
            /**
             * @description What it waits for from a person.
             * @enum {string|null}
             */
            waiting: "approval" | "question" | null;
            error: string | null;
            title: string | null;
            model: string | null;
            /**
             * @description `in_process`, or the external agent.
             * @example acp:claude
             */
            engine: string | null;
            depth: number;
            tool_call_id: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            ended_at: string | null;
            tokens: number;
            /** @description US dollars as a decimal string; null when unknown, which is not free. */
            cost_usd: string | null;
            message_count: number;
            /** @description The seq of the last event that this includes. */
            event_seq: number;
            children: components["schemas"]["SessionTreeNode"][];
        };
        Spent: {
            tokens: number;
            /** @description US dollars as a decimal string; null when unknown, which is not free. */
            cost_usd: string | null;
            /** @description Tokens of sessions with unknown cost. */
            unpriced_tokens: number;
        };
        TreeSummary: {
            session_id: string;
            parent_id: string | null;
            agent: string | null;
            status: components["schemas"]["SessionStatus"];
            /**
             * @description How its current turn ended; null if it has not.
             * @example completed
             */
            outcome_status: string | null;
            interrupted: boolean;
            /**
             * @description What it waits for from a person.
             * @enum {string|null}
             */
            waiting: "approval" | "question" | null;
            error: string | null;
            title: string | null;
            model: string | null;
            /**
             * @description `in_process`, or the external agent.
             * @example acp:claude
             */
            engine: string | null;
            depth: number;
            tool_call_id: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            ended_at: string | null;
            tokens: number;
            /** @description US dollars as a decimal string; null when unknown, which is not free. */
            cost_usd: string | null;
            message_count: number;
            /** @description The seq of the last event that this includes. */
            event_seq: number;
            project: string | null;
            /** @description How many sessions the tree has. */
            sessions: number;
            /** @description How many of them are active. */
            running: number;
            /** @description How many of them wait for a person. */
            waits: number;
            total: components["schemas"]["Spent"];
            /** @description The most that the tree may cost in US dollars; null for no limit. */
            budget_usd: string | null;
        };
        InboxItem: {
            /** @enum {string} */
            kind: "approval" | "question" | "failed" | "interrupted";
            session_id: string;
            root_id: string;
            agent: string | null;
            title: string | null;
            /** Format: date-time */
            asked_at: string;
            prompt: string;
            options: string[];
            approval_id: string | null;
            /**
             * @description The call that waits for the answer; null for a question.
             * @example call_1
             */
            tool_call_id: string | null;
            /**
             * @description Its tool; for an external agent, the kind of the call.
             * @example write_file
             */
            tool_name: string | null;
            /** @description What the tool would be run with, if the transcript does not have it: a hook changed it, or an external agent asks. If null, it is in the transcript, under `tool_call_id`. */
            tool_input: {
                [key: string]: unknown;
            } | null;
            /** Format: date-time */
            expires_at: string | null;
            error: {
                code: string;
                message: string;
            } | null;
        };
        LaunchOfSession: components["schemas"]["Launch"] & {
            /** @description Its pending proposals. */
            proposals: string[];
        };
        Launch: {
            session_id: string;
            agent: string | null;
            engine: string;
            instruction: string;
            system_prompt: string | null;
            safety_mode: string;
            workspace: {
                [key: string]: unknown;
            };
            /** @description `candidates`, `chosen`, and `because`: why it is this one. */
            model: {
                [key: string]: unknown;
            };
            /** @description Which context was passed, and what was dropped and why. */
            context: {
                [key: string]: unknown;
            };
            grant: {
                [key: string]: unknown;
            };
            grant_in_words: string[];
            limits: {
                name: string;
                /** @description Null: none. */
                limit: number | string | null;
                /** @description Null: unknown. */
                used: number | string | null;
            }[];
            tools: string[];
            /** @description All of it, without secrets. */
            record: {
                [key: string]: unknown;
            };
        };
        Span: {
            session_id: string;
            /** @enum {string} */
            kind: "turn" | "model" | "tool" | "wait";
            /** @description The model, the tool, or what it waits for. */
            name: string;
            /** Format: date-time */
            start: string;
            /**
             * Format: date-time
             * @description Null while it continues.
             */
            end: string | null;
            ok: boolean | null;
            tokens: number | null;
            cost_usd: string | null;
            /** @description The event that ended it, else the one that started it. */
            seq: number;
            /** @description Refers to its position in the conversation. */
            tool_call_id: string | null;
        };
        SpendRow: {
            key: string;
            input_tokens: number;
            output_tokens: number;
            cached_tokens: number;
            total_tokens: number;
            /** @description The known cost; null if unknown. */
            cost_usd: string | null;
            /** @description Tokens with unknown cost. */
            unpriced_tokens: number;
            sessions: number;
        };
        TreeSpend: {
            session_id: string;
            title: string | null;
            created_at: string;
            input_tokens: number;
            output_tokens: number;
            cached_tokens: number;
            total_tokens: number;
            /** @description The known cost; null if unknown. */
            cost_usd: string | null;
            /** @description Tokens with unknown cost. */
            unpriced_tokens: number;
            sessions: number;
        };
        Agent: {
            name: string;
            description: string | null;
            /** @description Where it comes from: `user`, `project`, a bundle, or `acp`. */
            source: string;
            path: string | null;
            hides: {
                path: string;
                source: string;
            }[];
            tools: string[];
            model_role: string[];
            resolves_to: {
                provider: string;
                model: string | null;
            } | null;
            /** @description Why it is not usable now. */
            problem: string | null;
            external: boolean;
            /** @enum {string} */
            state: "ready" | "not_installed" | "unusable";
        };
        Settings: {
            home: string;
            folder: string | null;
            /** @description Whether the folder is trusted. */
            trust: string | null;
            files: {
                scope: string;
                path: string;
                exists: boolean;
                says: {
                    [key: string]: unknown;
                };
            }[];
            settings: {
                [key: string]: unknown;
            };
            /** @description How the daemon itself is configured. */
            daemon: {
                [key: string]: unknown;
            };
        };
        Provider: {
            name: string;
            module: string;
            usable: boolean;
            default_model: string | null;
            problem: string | null;
        };
        AgUiRunInput: {
            threadId: string;
            runId: string;
            /** @default [] */
            messages?: ({
                role: string;
                content?: unknown;
            } & {
                [key: string]: unknown;
            })[];
            resume?: ({
                interruptId: string;
                /** @enum {string} */
                status: "resolved" | "cancelled";
                payload?: unknown;
            } & {
                [key: string]: unknown;
            })[];
        } & {
            [key: string]: unknown;
        };
        SignInLink: {
            url: string;
            /** Format: date-time */
            expires_at: string;
        };
        BrowserSession: {
            /** @enum {string} */
            scope: "read" | "run" | "admin";
            /** @description The tenant of the token, if teams share the deployment. */
            tenant: string | null;
            /** Format: date-time */
            expires_at: string | null;
            /** @description The session that a shared link shows, with its descendants. */
            shared_session: string | null;
            version: string;
        };
        SharedLink: {
            share_id: string;
            url: string;
            /** Format: date-time */
            expires_at: string;
        };
        Token: {
            id: string;
            name: string | null;
            /** @enum {string} */
            kind: "token" | "browser" | "share";
            /** @enum {string} */
            scope: "read" | "run" | "admin";
            /** @description The tenant; null: the operator. */
            tenant: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string | null;
            /** @description The session of a shared link. */
            session_id: string | null;
        };
        NewToken: components["schemas"]["Token"] & {
            token: string;
        };
        AuditLine: {
            n: number;
            /** Format: date-time */
            time: string;
            /** @description The tenant of the token; empty for the operator. */
            tenant: string;
            /** @description The id of the token, or `owner`. */
            caller: string;
            /** @example POST /api/v1/sessions/{session_id}/runs */
            operation: string;
            /** @example /api/v1/sessions/session_01k0/runs */
            target: string;
            /** @description The response status; 0 if the daemon died first. */
            outcome: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getHealthz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok";
                    };
                };
            };
            /** @description REPEATED_HEADER: A header that may occur once occurs twice. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description FORBIDDEN: The host or origin of the request is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getReadyz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ready. `notes` lists warnings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ready" | "degraded";
                        notes: string[];
                        loops: components["schemas"]["LoopSign"][];
                        record: components["schemas"]["RecordSign"];
                    };
                };
            };
            /** @description REPEATED_HEADER: A header that may occur once occurs twice. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description FORBIDDEN: The host or origin of the request is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description NOT_READY: The daemon is starting or stopping. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The daemon. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                        version: string;
                        pid: number;
                        started_at: string;
                        uptime_seconds: number;
                        home: string;
                        loops: components["schemas"]["Loop"][];
                    };
                };
            };
            /** @description REPEATED_HEADER: A header that may occur once occurs twice. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and the operation concerns the whole deployment.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDoctor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The findings. `ok` is false if one is `broken`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        ok: boolean;
                        checks: components["schemas"]["Check"][];
                    };
                };
            };
            /** @description REPEATED_HEADER: A header that may occur once occurs twice. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and the operation concerns the whole deployment.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Text. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description REPEATED_HEADER: A header that may occur once occurs twice. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and the operation concerns the whole deployment.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOpenapiJson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenAPI 3.1. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description REPEATED_HEADER: A header that may occur once occurs twice. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCollections: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All that are registered. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionInfo"][];
                };
            };
            /** @description REPEATED_HEADER: A header that may occur once occurs twice. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description INTERNAL: The daemon failed; its log has the details under the request id.
             *
             *     REGISTRY_UNREADABLE: The list of collections cannot be read, so it is not changed.
             */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postCollections: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCollection"];
            };
        };
        responses: {
            /** @description Registered. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionInfo"] & {
                        profile_count: number;
                        problems: {
                            collection: string;
                            profile: string | null;
                            code: string;
                            message: string;
                        }[];
                    };
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     INVALID_SOURCE: The source is malformed or not allowed.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and the operation concerns the whole deployment.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description COLLECTION_EXISTS: A collection with this id is already registered. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description INTERNAL: The daemon failed; its log has the details under the request id.
             *
             *     REGISTRY_UNREADABLE: The list of collections cannot be read, so it is not changed.
             */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description REF_RESOLUTION_FAILED: A source could not be fetched. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postCollectionsSync: {
        parameters: {
            query?: {
                update?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    collection_id?: string | null;
                    /** @description Check git and http sources for updates. */
                    update?: boolean;
                };
            };
        };
        responses: {
            /** @description The result of each. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SyncResult"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     INVALID_QUERY: A query parameter is out of range.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and the operation concerns the whole deployment.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description COLLECTION_NOT_FOUND: No collection is registered under this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description INTERNAL: The daemon failed; its log has the details under the request id.
             *
             *     REGISTRY_UNREADABLE: The list of collections cannot be read, so it is not changed.
             */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCollectionsComponentRefs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Refs with the profiles that use them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: {
                            name: string;
                            ref: string | null;
                            profile_id: string;
                        }[];
                    };
                };
            };
            /** @description REPEATED_HEADER: A header that may occur once occurs twice. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCollectionsCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description With its profiles. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionInfo"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description COLLECTION_NOT_FOUND: No collection is registered under this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteCollectionsCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. Sessions planned from its profiles keep what they need. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and the operation concerns the whole deployment.
             *
             *     PROFILE_READ_ONLY: Only profiles of the local collection can be changed here.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description COLLECTION_NOT_FOUND: No collection is registered under this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description INTERNAL: The daemon failed; its log has the details under the request id.
             *
             *     REGISTRY_UNREADABLE: The list of collections cannot be read, so it is not changed.
             */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postCollectionsCollectionSync: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Check git and http sources for updates. */
                    update?: boolean;
                };
            };
        };
        responses: {
            /** @description The result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SyncResult"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and the operation concerns the whole deployment.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description COLLECTION_NOT_FOUND: No collection is registered under this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description INTERNAL: The daemon failed; its log has the details under the request id.
             *
             *     REGISTRY_UNREADABLE: The list of collections cannot be read, so it is not changed.
             */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCollectionsCollectionProfiles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Their ids. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string[];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description COLLECTION_NOT_FOUND: No collection is registered under this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getProfiles: {
        parameters: {
            query?: {
                collection?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All that are compiled. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileInfo"][];
                };
            };
            /**
             * @description INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postProfiles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewProfile"];
            };
        };
        responses: {
            /** @description Written and compiled. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileDetails"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     INVALID_SOURCE: The source is malformed or not allowed.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and the operation concerns the whole deployment.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PROFILE_EXISTS: A profile with this name already exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description DUPLICATE_MODULE: The manifest names one module twice with two sources.
             *
             *     PROFILE_INVALID: The profile manifest is invalid.
             *
             *     RESOURCE_MISSING: The profile refers to a file or folder that does not exist.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description REF_RESOLUTION_FAILED: A source could not be fetched. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getProfilesActive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Null when none is. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        profile_id: string | null;
                    };
                };
            };
            /** @description REPEATED_HEADER: A header that may occur once occurs twice. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putProfilesActive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    profile_id: string;
                };
            };
        };
        responses: {
            /** @description Chosen. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        profile_id: string;
                    };
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and the operation concerns the whole deployment.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PROFILE_NOT_FOUND: No collection holds this profile, or it has not been compiled yet. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteProfilesActive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description None is. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description REPEATED_HEADER: A header that may occur once occurs twice. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and the operation concerns the whole deployment.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getProfilesCollectionProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
                profile: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileDetails"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PROFILE_NOT_FOUND: No collection holds this profile, or it has not been compiled yet. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteProfilesCollectionProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version to change. */
                "If-Match"?: string;
            };
            path: {
                collection: string;
                profile: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. Sessions planned from it keep what they need. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and the operation concerns the whole deployment.
             *
             *     PROFILE_READ_ONLY: Only profiles of the local collection can be changed here.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PROFILE_NOT_FOUND: No collection holds this profile, or it has not been compiled yet. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PROFILE_ACTIVE: The profile is the active one; activate another first. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description VERSION_MISMATCH: The resource has changed since the version the request names. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    patchProfilesCollectionProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version to change. */
                "If-Match"?: string;
            };
            path: {
                collection: string;
                profile: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    manifest: string;
                };
            };
        };
        responses: {
            /** @description Written and compiled. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileDetails"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     INVALID_SOURCE: The source is malformed or not allowed.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and the operation concerns the whole deployment.
             *
             *     PROFILE_READ_ONLY: Only profiles of the local collection can be changed here.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PROFILE_NOT_FOUND: No collection holds this profile, or it has not been compiled yet. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description VERSION_MISMATCH: The resource has changed since the version the request names. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description DUPLICATE_MODULE: The manifest names one module twice with two sources.
             *
             *     PROFILE_INVALID: The profile manifest is invalid.
             *
             *     RESOURCE_MISSING: The profile refers to a file or folder that does not exist.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description REF_RESOLUTION_FAILED: A source could not be fetched. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postProfilesCollectionProfileCompile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
                profile: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Compiled. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                        profile_id: string;
                        lock_hash: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and the operation concerns the whole deployment.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description COLLECTION_NOT_FOUND: No collection is registered under this id.
             *
             *     PROFILE_NOT_FOUND: No collection holds this profile, or it has not been compiled yet.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description PROFILE_INVALID: The profile manifest is invalid.
             *
             *     RESOURCE_MISSING: The profile refers to a file or folder that does not exist.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description REF_RESOLUTION_FAILED: A source could not be fetched. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postProfilesCollectionProfileActivate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
                profile: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Chosen. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        profile_id: string;
                    };
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and the operation concerns the whole deployment.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PROFILE_NOT_FOUND: No collection holds this profile, or it has not been compiled yet. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postProfilesCollectionProfileCopy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
                profile: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    new_name: string;
                };
            };
        };
        responses: {
            /** @description The copy. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileDetails"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and the operation concerns the whole deployment.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PROFILE_NOT_FOUND: No collection holds this profile, or it has not been compiled yet. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PROFILE_EXISTS: A profile with this name already exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getProfilesCollectionProfileLock: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
                profile: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lock. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        lock_hash: string;
                        resources: {
                            [key: string]: unknown;
                        }[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PROFILE_NOT_FOUND: No collection holds this profile, or it has not been compiled yet. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getProfilesCollectionProfileStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
                profile: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How it stands. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "fresh" | "stale" | "missing";
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description COLLECTION_NOT_FOUND: No collection is registered under this id.
             *
             *     PROFILE_NOT_FOUND: No collection holds this profile, or it has not been compiled yet.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postMountPlansGenerate: {
        parameters: {
            query?: never;
            header?: {
                /** @description Executes the request once; for a day, the same key gets the same response. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["MountPlanRequest"];
            };
        };
        responses: {
            /** @description The plan. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MountPlan"];
                };
            };
            /**
             * @description INVALID_IDEMPOTENCY_KEY: The header Idempotency-Key is empty, too long or not plain ASCII.
             *
             *     INVALID_OVERLAY: The overlay has a section, name or value that cannot be applied.
             *
             *     INVALID_SESSION_ID: The text is not a session id.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description PARENT_SESSION_NOT_FOUND: The session named as parent does not exist.
             *
             *     PROFILE_NOT_FOUND: No collection holds this profile, or it has not been compiled yet.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description DEPTH_EXCEEDED: Sessions may not be nested this deep.
             *
             *     IDEMPOTENCY_IN_FLIGHT: A request with the same Idempotency-Key is still in progress.
             *
             *     PARENT_ENDED: The parent session has ended.
             *
             *     SESSION_EXISTS: The session id is taken.
             *
             *     TOO_MANY_CHILDREN: The session has the maximum number of children.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description IDEMPOTENCY_KEY_REUSED: The Idempotency-Key was used for a request with different content. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description INTERNAL: The daemon failed; its log has the details under the request id.
             *
             *     RESOURCE_LOST: A compiled profile has lost a file; sync its collection again.
             */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description STORAGE_UNAVAILABLE: The record cannot be read or written now; the log has the details. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description STORAGE_FULL: The disk, or the quota on it, is full. Free some space, then repeat the request. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postMountPlansValidate: {
        parameters: {
            query?: {
                /** @description `map`: only the errors, by category. */
                format?: "report" | "map";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PostedMountPlan"];
            };
        };
        responses: {
            /** @description What was found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        valid: boolean;
                        errors: {
                            [key: string]: string[];
                        };
                        warnings: {
                            [key: string]: string[];
                        };
                    } | {
                        [key: string]: string[];
                    };
                };
            };
            /**
             * @description INVALID_QUERY: A query parameter is out of range.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMountPlansHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Always 200; see `status`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "healthy" | "degraded" | "unhealthy";
                        service: string;
                        storage_available: boolean;
                        cache_available: boolean;
                    };
                };
            };
            /** @description REPEATED_HEADER: A header that may occur once occurs twice. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMountPlans: {
        parameters: {
            query?: {
                profile_id?: string;
                parent_session_id?: string;
                limit?: number;
                /** @description From the header X-Next-Cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MountPlanSummary"][];
                };
            };
            /**
             * @description INVALID_CURSOR: The cursor was not made by this daemon.
             *
             *     INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMountPlansSessionId: {
        parameters: {
            query?: {
                view?: "full" | "flat" | "ids";
                format?: "plan" | "core";
            };
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plan. It never changes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MountPlan"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description MOUNT_PLAN_NOT_FOUND: The session has no mount plan.
             *
             *     SESSION_NOT_FOUND: There is no session with this id.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteMountPlansSessionId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_NOT_FOUND: There is no session with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description PLAN_OWNED: A session uses this plan, so it cannot be deleted alone.
             *
             *     SESSION_HAS_CHILDREN: The session has children; set `children` to decide what happens to them.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postMountPlansSessionIdSubSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description Executes the request once; for a day, the same key gets the same response. */
                "Idempotency-Key"?: string;
            };
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SubSessionRequest"];
            };
        };
        responses: {
            /** @description The child's plan. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MountPlan"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     INVALID_IDEMPOTENCY_KEY: The header Idempotency-Key is empty, too long or not plain ASCII.
             *
             *     INVALID_OVERLAY: The overlay has a section, name or value that cannot be applied.
             *
             *     INVALID_SESSION_ID: The text is not a session id.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description MOUNT_PLAN_NOT_FOUND: The session has no mount plan.
             *
             *     PARENT_SESSION_NOT_FOUND: The session named as parent does not exist.
             *
             *     SESSION_NOT_FOUND: There is no session with this id.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description DEPTH_EXCEEDED: Sessions may not be nested this deep.
             *
             *     IDEMPOTENCY_IN_FLIGHT: A request with the same Idempotency-Key is still in progress.
             *
             *     PARENT_ENDED: The parent session has ended.
             *
             *     SESSION_EXISTS: The session id is taken.
             *
             *     TOO_MANY_CHILDREN: The session has the maximum number of children.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description IDEMPOTENCY_KEY_REUSED: The Idempotency-Key was used for a request with different content. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postSessionsCleanup: {
        parameters: {
            query?: {
                older_than_days?: number | null;
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    older_than_days?: number;
                    /** @description Default: those that have ended. */
                    statuses?: components["schemas"]["SessionStatus"][];
                    keep_last?: number;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description What was, or would be, removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        removed_count: number;
                        session_ids: string[];
                        bytes: number;
                        dry_run: boolean;
                    };
                };
            };
            /**
             * @description INVALID_QUERY: A query parameter is out of range.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSessionsSessionId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its metadata. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionMetadata"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_NOT_FOUND: There is no session with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteSessionsSessionId: {
        parameters: {
            query?: {
                force?: boolean;
                children?: "refuse" | "orphan" | "cascade";
            };
            header?: {
                /** @description The ETag of the version to change. */
                "If-Match"?: string;
            };
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_NOT_FOUND: There is no session with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description SESSION_ACTIVE: The session is active; deleting it needs force.
             *
             *     SESSION_BUSY: Another process is writing this session.
             *
             *     SESSION_HAS_CHILDREN: The session has children; set `children` to decide what happens to them.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description VERSION_MISMATCH: The resource has changed since the version the request names. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    patchSessionsSessionId: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version to change. */
                "If-Match"?: string;
            };
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    name?: string | null;
                    metadata?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description The updated resource. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionMetadata"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_NOT_FOUND: There is no session with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_BUSY: Another process is writing this session. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description VERSION_MISMATCH: The resource has changed since the version the request names. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSessions: {
        parameters: {
            query?: {
                status?: ("created" | "active" | "completed" | "failed" | "terminated")[];
                profile_id?: string;
                profile_name?: string;
                parent_session_id?: string;
                root_only?: boolean;
                agent_name?: string;
                since?: string;
                until?: string;
                /** @description false: only what identifies a session, which is faster. */
                full?: boolean;
                limit?: number;
                /** @description From the header X-Next-Cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["SessionIndexEntry"] | components["schemas"]["SessionMetadata"])[];
                };
            };
            /**
             * @description INVALID_CURSOR: The cursor was not made by this daemon.
             *
             *     INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postSessions: {
        parameters: {
            query?: {
                profile_name?: string;
                parent_session_id?: string;
            };
            header?: {
                /** @description Executes the request once; for a day, the same key gets the same response. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CreateSessionRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionMetadata"];
                };
            };
            /**
             * @description INVALID_IDEMPOTENCY_KEY: The header Idempotency-Key is empty, too long or not plain ASCII.
             *
             *     INVALID_OVERLAY: The overlay has a section, name or value that cannot be applied.
             *
             *     INVALID_QUERY: A query parameter is out of range.
             *
             *     INVALID_SESSION_ID: The text is not a session id.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description PARENT_SESSION_NOT_FOUND: The session named as parent does not exist.
             *
             *     PROFILE_NOT_FOUND: No collection holds this profile, or it has not been compiled yet.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description DEPTH_EXCEEDED: Sessions may not be nested this deep.
             *
             *     IDEMPOTENCY_IN_FLIGHT: A request with the same Idempotency-Key is still in progress.
             *
             *     PARENT_ENDED: The parent session has ended.
             *
             *     SESSION_EXISTS: The session id is taken.
             *
             *     TOO_MANY_CHILDREN: The session has the maximum number of children.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description IDEMPOTENCY_KEY_REUSED: The Idempotency-Key was used for a request with different content.
             *
             *     INVALID_WORKING_DIR: The working folder does not exist, or is not below one that the operator named.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description STORAGE_UNAVAILABLE: The record cannot be read or written now; the log has the details. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description STORAGE_FULL: The disk, or the quota on it, is full. Free some space, then repeat the request. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSessionsActive: {
        parameters: {
            query?: {
                full?: boolean;
                limit?: number;
                /** @description From the header X-Next-Cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["SessionIndexEntry"] | components["schemas"]["SessionMetadata"])[];
                };
            };
            /**
             * @description INVALID_CURSOR: The cursor was not made by this daemon.
             *
             *     INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSessionsSearch: {
        parameters: {
            query: {
                q: string;
                limit?: number;
                /** @description From the header X-Next-Cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Sessions with the first match. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["SessionIndexEntry"] & {
                        match: {
                            [key: string]: unknown;
                        };
                    })[];
                };
            };
            /**
             * @description INVALID_CURSOR: The cursor was not made by this daemon.
             *
             *     INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postSessionsSessionIdStart: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version to change. */
                "If-Match"?: string;
            };
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_NOT_FOUND: There is no session with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description INVALID_TRANSITION: The session cannot change from its current status to the requested one.
             *
             *     SESSION_BUSY: Another process is writing this session.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description VERSION_MISMATCH: The resource has changed since the version the request names. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postSessionsSessionIdComplete: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version to change. */
                "If-Match"?: string;
            };
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_NOT_FOUND: There is no session with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description INVALID_TRANSITION: The session cannot change from its current status to the requested one.
             *
             *     SESSION_BUSY: Another process is writing this session.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description VERSION_MISMATCH: The resource has changed since the version the request names. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postSessionsSessionIdFail: {
        parameters: {
            query?: {
                error_message?: string;
            };
            header?: {
                /** @description The ETag of the version to change. */
                "If-Match"?: string;
            };
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["FailSessionRequest"];
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     INVALID_QUERY: A query parameter is out of range.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_NOT_FOUND: There is no session with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description INVALID_TRANSITION: The session cannot change from its current status to the requested one.
             *
             *     SESSION_BUSY: Another process is writing this session.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description VERSION_MISMATCH: The resource has changed since the version the request names. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postSessionsSessionIdTerminate: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version to change. */
                "If-Match"?: string;
            };
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Also its descendants. */
                    cascade?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_NOT_FOUND: There is no session with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description INVALID_TRANSITION: The session cannot change from its current status to the requested one.
             *
             *     SESSION_BUSY: Another process is writing this session.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description VERSION_MISMATCH: The resource has changed since the version the request names. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postSessionsSessionIdResume: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version to change. */
                "If-Match"?: string;
            };
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_NOT_FOUND: There is no session with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description INVALID_TRANSITION: The session cannot change from its current status to the requested one.
             *
             *     SESSION_BUSY: Another process is writing this session.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description VERSION_MISMATCH: The resource has changed since the version the request names. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSessionsSessionIdTranscript: {
        parameters: {
            query?: {
                /** @description The last n, also before `before`; with `after`, the first n after it. Default and maximum: 1,000. */
                limit?: number;
                /** @description Only messages with a higher seq: a stable cursor. */
                after?: number | null;
                before?: number | null;
            };
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionMessage"][];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_NOT_FOUND: There is no session with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postSessionsSessionIdMessages: {
        parameters: {
            query?: {
                /** @description Start a created session first. */
                auto_start?: boolean;
                role?: string;
                content?: string;
                agent?: string;
                token_count?: number | null;
            };
            header?: {
                /** @description Executes the request once; for a day, the same key gets the same response. */
                "Idempotency-Key"?: string;
            };
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewSessionMessage"];
            };
        };
        responses: {
            /** @description The stored message. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionMessage"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     INVALID_IDEMPOTENCY_KEY: The header Idempotency-Key is empty, too long or not plain ASCII.
             *
             *     INVALID_QUERY: A query parameter is out of range.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_NOT_FOUND: There is no session with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description IDEMPOTENCY_IN_FLIGHT: A request with the same Idempotency-Key is still in progress.
             *
             *     SESSION_BUSY: Another process is writing this session.
             *
             *     SESSION_CLOSED: The session has ended and accepts no messages.
             *
             *     SESSION_NOT_STARTED: The session has not been started, so it accepts no messages yet.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description IDEMPOTENCY_KEY_REUSED: The Idempotency-Key was used for a request with different content. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description STORAGE_UNAVAILABLE: The record cannot be read or written now; the log has the details. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description STORAGE_FULL: The disk, or the quota on it, is full. Free some space, then repeat the request. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSessionsSessionIdChildren: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The children. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionIndexEntry"][];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_NOT_FOUND: There is no session with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSessionsSessionIdLineage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The way down. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionMetadata"][];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_NOT_FOUND: There is no session with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postSessionsSessionIdFork: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Keep the conversation to the end of this turn. */
                    turn?: number;
                    session_id?: string;
                    name?: string | null;
                };
            };
        };
        responses: {
            /** @description The new session. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionMetadata"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description SESSION_NOT_FOUND: There is no session with this id.
             *
             *     TURN_NOT_FOUND: The conversation has no such turn.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_EXISTS: The session id is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSessionsSessionIdExport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description For POST /api/v1/sessions/import. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_NOT_FOUND: There is no session with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postSessionsImport: {
        parameters: {
            query?: {
                session_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionMetadata"];
                };
            };
            /**
             * @description INVALID_QUERY: A query parameter is out of range.
             *
             *     INVALID_SESSION_ID: The text is not a session id.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PROFILE_NOT_FOUND: No collection holds this profile, or it has not been compiled yet. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description DEPTH_EXCEEDED: Sessions may not be nested this deep.
             *
             *     SESSION_EXISTS: The session id is taken.
             *
             *     TOO_MANY_CHILDREN: The session has the maximum number of children.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description INVALID_EXPORT: The text is not a complete exported session.
             *
             *     INVALID_RECORD: The data cannot be stored.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSessionsSessionIdMountPlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The same as GET /api/v1/mount-plans/{session_id}. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description MOUNT_PLAN_NOT_FOUND: The session has no mount plan.
             *
             *     SESSION_NOT_FOUND: There is no session with this id.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSessionsSessionIdEvents: {
        parameters: {
            query?: {
                /** @description A position: the id of an event of any stream, or the `X-Next-Cursor` of a page. `0` is the beginning. Or the seq of an event of this session. */
                after?: string;
                before?: number | null;
                /** @description A page has at most so many events and about 1 MB, but at least one event; `X-Next-Cursor` names the next page. */
                limit?: number;
                /** @description Also the events of its descendants. */
                children?: boolean;
                /** @description Only events with these names; `run:*` matches all that start with `run:`. */
                names?: string[];
                /** @description Streams only: also send each message when it is stored, as `message` with `session_id`, `root_id`, `seq` and `message`, which is as in the transcript. These frames have ids, and `names` does not filter them. Messages that an earlier version stored are only in the transcript. */
                messages?: boolean;
                /** @description Streams only: also send text while it is written, by any process. `delta`, `snapshot` and `message_end` carry the text of a message that is not stored yet; without `messages`, `message` gives the seq at which one was stored. These frames have no id, and those with text are dropped first if the reader is too slow. */
                deltas?: boolean;
            };
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"][];
                };
            };
            /**
             * @description INVALID_CURSOR: The cursor was not made by this daemon.
             *
             *     INVALID_ID: An id in the address is malformed.
             *
             *     INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_NOT_FOUND: There is no session with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OVERLOADED: The daemon is at capacity; try again after the time in Retry-After. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getEvents: {
        parameters: {
            query?: {
                /** @description A position: the id of an event of any stream, or the `X-Next-Cursor` of a page. `0` is the beginning. */
                after?: string;
                /** @description A page has at most so many events and about 1 MB, but at least one event; `X-Next-Cursor` names the next page. */
                limit?: number;
                /** @description Only those of this tree. */
                root_id?: string;
                /** @description Only events with these names; `run:*` matches all that start with `run:`. */
                names?: string[];
                /** @description Streams only: also send each message when it is stored, as `message` with `session_id`, `root_id`, `seq` and `message`, which is as in the transcript. These frames have ids, and `names` does not filter them. Messages that an earlier version stored are only in the transcript. */
                messages?: boolean;
                /** @description Streams only: also send text while it is written, by any process. `delta`, `snapshot` and `message_end` carry the text of a message that is not stored yet; without `messages`, `message` gives the seq at which one was stored. These frames have no id, and those with text are dropped first if the reader is too slow. */
                deltas?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"][];
                };
            };
            /**
             * @description INVALID_CURSOR: The cursor was not made by this daemon.
             *
             *     INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OVERLOADED: The daemon is at capacity; try again after the time in Retry-After. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getLive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lines of JSON, for as long as the connection lasts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            /** @description REPEATED_HEADER: A header that may occur once occurs twice. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and the operation concerns the whole deployment.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"][];
                };
            };
            /** @description REPEATED_HEADER: A header that may occur once occurs twice. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postWebhooks: {
        parameters: {
            query?: never;
            header?: {
                /** @description Executes the request once; for a day, the same key gets the same response. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookRequest"];
            };
        };
        responses: {
            /** @description With the secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhook"];
                };
            };
            /**
             * @description INVALID_IDEMPOTENCY_KEY: The header Idempotency-Key is empty, too long or not plain ASCII.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description IDEMPOTENCY_IN_FLIGHT: A request with the same Idempotency-Key is still in progress. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description IDEMPOTENCY_KEY_REUSED: The Idempotency-Key was used for a request with different content. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description STORAGE_UNAVAILABLE: The record cannot be read or written now; the log has the details. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description STORAGE_FULL: The disk, or the quota on it, is full. Free some space, then repeat the request. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getWebhooksWebhookId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Without its secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description WEBHOOK_NOT_FOUND: There is no webhook with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteWebhooksWebhookId: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version to change. */
                "If-Match"?: string;
            };
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description WEBHOOK_NOT_FOUND: There is no webhook with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description VERSION_MISMATCH: The resource has changed since the version the request names. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    patchWebhooksWebhookId: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version to change. */
                "If-Match"?: string;
            };
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @example https://example.com/amplifier */
                    url?: string;
                    /** @description Event names; `run:*` matches all that start with `run:`. */
                    events?: string[];
                    description?: string | null;
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description The updated resource. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description WEBHOOK_NOT_FOUND: There is no webhook with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description VERSION_MISMATCH: The resource has changed since the version the request names. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getWebhooksWebhookIdDeliveries: {
        parameters: {
            query?: {
                status?: "pending" | "delivered" | "failed";
                limit?: number;
            };
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"][];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description WEBHOOK_NOT_FOUND: There is no webhook with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postWebhooksWebhookIdDeliveriesDeliveryIdRedeliver: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: string;
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Queued again, with the same id. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description DELIVERY_NOT_FOUND: The webhook has no delivery with this id.
             *
             *     WEBHOOK_NOT_FOUND: There is no webhook with this id.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSessionsSessionIdRuns: {
        parameters: {
            query?: {
                status?: ("queued" | "running" | "completed" | "needs_input" | "limit" | "refused" | "denied" | "stalled" | "cancelled" | "failed" | "interrupted" | "steered")[];
                limit?: number;
                /** @description From the header X-Next-Cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunSummary"][];
                };
            };
            /**
             * @description INVALID_CURSOR: The cursor was not made by this daemon.
             *
             *     INVALID_ID: An id in the address is malformed.
             *
             *     INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_NOT_FOUND: There is no session with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postSessionsSessionIdRuns: {
        parameters: {
            query?: never;
            header?: {
                /** @description Executes the request once; for a day, the same key gets the same response. */
                "Idempotency-Key"?: string;
            };
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRun"];
            };
        };
        responses: {
            /** @description Accepted, and on disk. 200 if it has ended. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     INVALID_IDEMPOTENCY_KEY: The header Idempotency-Key is empty, too long or not plain ASCII.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     READ_SCOPE_WIDER: The session was launched when it could read more than its tenant may now.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             *
             *     WORKSPACE_NOT_TRUSTED: The mode changes files, and the folder is not trusted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_NOT_FOUND: There is no session with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description IDEMPOTENCY_IN_FLIGHT: A request with the same Idempotency-Key is still in progress.
             *
             *     RUN_EXISTS: The run id is taken.
             *
             *     SESSION_RUNNING: The session is busy, and the request said not to wait.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description IDEMPOTENCY_KEY_REUSED: The Idempotency-Key was used for a request with different content. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description BUDGET_SPENT: The daily budget of the tenant or token is spent; it resets at `resets_at`.
             *
             *     RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`.
             *
             *     TOO_MANY_RUNS: The queue of the session is full.
             */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description STORAGE_FULL: The disk, or the quota on it, is full. Free some space, then repeat the request. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postSessionsSessionIdDelegate: {
        parameters: {
            query?: never;
            header?: {
                /** @description Executes the request once; for a day, the same key gets the same response. */
                "Idempotency-Key"?: string;
            };
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewDelegation"];
            };
        };
        responses: {
            /** @description Accepted, and on disk. 200 if it has ended. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     INVALID_IDEMPOTENCY_KEY: The header Idempotency-Key is empty, too long or not plain ASCII.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     READ_SCOPE_WIDER: The session was launched when it could read more than its tenant may now.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             *
             *     WORKSPACE_NOT_TRUSTED: The mode changes files, and the folder is not trusted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description AGENT_NOT_FOUND: The session has no agent with this name.
             *
             *     MOUNT_PLAN_NOT_FOUND: The session has no mount plan.
             *
             *     SESSION_NOT_FOUND: There is no session with this id.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description DELEGATION_REFUSED: The session may not make this delegation.
             *
             *     IDEMPOTENCY_IN_FLIGHT: A request with the same Idempotency-Key is still in progress.
             *
             *     RUN_EXISTS: The run id is taken.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description IDEMPOTENCY_KEY_REUSED: The Idempotency-Key was used for a request with different content.
             *
             *     INVALID_WORKING_DIR: The working folder does not exist, or is not below one that the operator named.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description BUDGET_SPENT: The daily budget of the tenant or token is spent; it resets at `resets_at`.
             *
             *     RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`.
             */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description STORAGE_FULL: The disk, or the quota on it, is full. Free some space, then repeat the request. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRuns: {
        parameters: {
            query?: {
                status?: ("queued" | "running" | "completed" | "needs_input" | "limit" | "refused" | "denied" | "stalled" | "cancelled" | "failed" | "interrupted" | "steered")[];
                limit?: number;
                /** @description From the header X-Next-Cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunSummary"][];
                };
            };
            /**
             * @description INVALID_CURSOR: The cursor was not made by this daemon.
             *
             *     INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRunsRunId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RUN_NOT_FOUND: There is no run with this id; ended runs are kept for a week. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSessionsSessionIdRunsRunId: {
        parameters: {
            query?: {
                /** @description Wait this many seconds for its end. */
                wait?: number | null;
            };
            header?: never;
            path: {
                session_id: string;
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description RUN_NOT_FOUND: There is no run with this id; ended runs are kept for a week.
             *
             *     SESSION_NOT_FOUND: There is no session with this id.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postSessionsSessionIdRunsRunIdCancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CancelRun"];
            };
        };
        responses: {
            /** @description Accepted, and on disk. 200 if it has ended. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description RUN_NOT_FOUND: There is no run with this id; ended runs are kept for a week.
             *
             *     SESSION_NOT_FOUND: There is no session with this id.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RUN_ENDED: The run has ended already. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postSessionsSessionIdRunsRunIdContinue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ContinueRun"];
            };
        };
        responses: {
            /** @description Accepted, and on disk. 200 if it has ended. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     READ_SCOPE_WIDER: The session was launched when it could read more than its tenant may now.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             *
             *     WORKSPACE_NOT_TRUSTED: The mode changes files, and the folder is not trusted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description RUN_NOT_FOUND: There is no run with this id; ended runs are kept for a week.
             *
             *     SESSION_NOT_FOUND: There is no session with this id.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RUN_NOT_INTERRUPTED: Only an interrupted run that is the session’s last can be continued. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description BUDGET_SPENT: The daily budget of the tenant or token is spent; it resets at `resets_at`.
             *
             *     RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`.
             */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSessionsSessionIdAgents: {
        parameters: {
            query?: {
                limit?: number;
                /** @description From the header X-Next-Cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of agents. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionAgent"][];
                };
            };
            /**
             * @description INVALID_CURSOR: The cursor was not made by this daemon.
             *
             *     INVALID_ID: An id in the address is malformed.
             *
             *     INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description MOUNT_PLAN_NOT_FOUND: The session has no mount plan.
             *
             *     SESSION_NOT_FOUND: There is no session with this id.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getApprovals: {
        parameters: {
            query?: {
                limit?: number;
                /** @description From the header X-Next-Cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"][];
                };
            };
            /**
             * @description INVALID_CURSOR: The cursor was not made by this daemon.
             *
             *     INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSessionsSessionIdApprovals: {
        parameters: {
            query?: {
                status?: "pending" | "answered" | "closed";
                limit?: number;
                /** @description From the header X-Next-Cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"][];
                };
            };
            /**
             * @description INVALID_CURSOR: The cursor was not made by this daemon.
             *
             *     INVALID_ID: An id in the address is malformed.
             *
             *     INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_NOT_FOUND: There is no session with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSessionsSessionIdApprovalsApprovalId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
                approval_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The approval. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description APPROVAL_NOT_FOUND: The session and its descendants have no approval with this id.
             *
             *     SESSION_NOT_FOUND: There is no session with this id.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postSessionsSessionIdApprovalsApprovalIdAnswer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
                approval_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AnswerApproval"];
            };
        };
        responses: {
            /** @description The approval with its answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description APPROVAL_NOT_FOUND: The session and its descendants have no approval with this id.
             *
             *     SESSION_NOT_FOUND: There is no session with this id.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description APPROVAL_ANSWERED: The approval has already been answered.
             *
             *     APPROVAL_CLOSED: The approval is no longer pending.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getProposals: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Proposal"][];
                };
            };
            /** @description REPEATED_HEADER: A header that may occur once occurs twice. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postProposalsClean: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default 30 */
                    older_than_days?: number;
                    /** @default false */
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description What was, or would be, removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        dry_run: boolean;
                        proposals: components["schemas"]["Proposal"][];
                    };
                };
            };
            /**
             * @description MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getProposalsProposalId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                proposal_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The proposal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProposalDetail"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PROPOSAL_NOT_FOUND: There is no proposal with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteProposalsProposalId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                proposal_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PROPOSAL_NOT_FOUND: There is no proposal with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PROPOSAL_NOT_WAITING: The proposal’s state does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postProposalsProposalIdApply: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                proposal_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResolvedProposal"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             *
             *     WORKSPACE_NOT_TRUSTED: The mode changes files, and the folder is not trusted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PROPOSAL_NOT_FOUND: There is no proposal with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description PROPOSAL_ACTS_LATER: The proposal changes files that other programs execute; only a person may apply it.
             *
             *     PROPOSAL_NOT_WAITING: The proposal’s state does not allow this.
             *
             *     PROPOSAL_TOO_LARGE: The proposal has more or larger changes than can be applied.
             *
             *     WORKSPACE_CHANGED: The folder was replaced or changed by another process; the proposal was neither applied nor undone.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postProposalsProposalIdUndo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                proposal_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResolvedProposal"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             *
             *     WORKSPACE_NOT_TRUSTED: The mode changes files, and the folder is not trusted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PROPOSAL_NOT_FOUND: There is no proposal with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description PROPOSAL_ACTS_LATER: The proposal changes files that other programs execute; only a person may apply it.
             *
             *     PROPOSAL_NOT_WAITING: The proposal’s state does not allow this.
             *
             *     PROPOSAL_TOO_LARGE: The proposal has more or larger changes than can be applied.
             *
             *     WORKSPACE_CHANGED: The folder was replaced or changed by another process; the proposal was neither applied nor undone.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSessionsSessionIdTree: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A tree. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        root: components["schemas"]["SessionTreeNode"];
                        root_id: string;
                        total: components["schemas"]["Spent"];
                        sessions: number;
                        truncated: boolean;
                        cursor: string;
                        feed_cursor: string;
                    };
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_NOT_FOUND: There is no session with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTrees: {
        parameters: {
            query?: {
                status?: ("created" | "active" | "completed" | "failed" | "terminated")[];
                /** @description Only those with this in id, title, agent or project. */
                query?: string;
                limit?: number;
                /** @description From the header X-Next-Cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TreeSummary"][];
                };
            };
            /**
             * @description INVALID_CURSOR: The cursor was not made by this daemon.
             *
             *     INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getInbox: {
        parameters: {
            query?: {
                limit?: number;
                /** @description From the header X-Next-Cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboxItem"][];
                };
            };
            /**
             * @description INVALID_CURSOR: The cursor was not made by this daemon.
             *
             *     INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postSessionsSessionIdSteer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    text: string;
                };
            };
        };
        responses: {
            /** @description It is on disk. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        session_id: string;
                        is_running: boolean;
                    };
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_NOT_FOUND: There is no session with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postSessionsSessionIdCancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @default subtree
                     * @enum {string}
                     */
                    scope?: "session" | "subtree";
                    /**
                     * @description `graceful` finishes the current step.
                     * @default immediate
                     * @enum {string}
                     */
                    mode?: "graceful" | "immediate";
                };
            };
        };
        responses: {
            /** @description They were told. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        session_ids: string[];
                    };
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_NOT_FOUND: There is no session with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postSessionsSessionIdContinue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    wait?: number;
                };
            };
        };
        responses: {
            /** @description The run that continues it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     READ_SCOPE_WIDER: The session was launched when it could read more than its tenant may now.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             *
             *     WORKSPACE_NOT_TRUSTED: The mode changes files, and the folder is not trusted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_NOT_FOUND: There is no session with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RUN_NOT_INTERRUPTED: Only an interrupted run that is the session’s last can be continued. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSessionsSessionIdLaunch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The launch record, in parts and whole. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LaunchOfSession"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description LAUNCH_NOT_FOUND: The session has not been launched yet.
             *
             *     SESSION_NOT_FOUND: There is no session with this id.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postSessionsSessionIdDelegateDryRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Name of the agent. Needed unless session_id is given. */
                    agent?: string;
                    instruction: string;
                    /**
                     * @description How much of the conversation the agent sees.
                     * @default recent
                     * @enum {string}
                     */
                    context_depth?: "none" | "recent" | "summary" | "all";
                    /**
                     * @description Number of turns that count as recent.
                     * @default 5
                     */
                    context_turns?: number;
                    /**
                     * @description Which content: what was said, also results of agents, or all tool results.
                     * @default conversation
                     * @enum {string}
                     */
                    context_scope?: "conversation" | "agents" | "full";
                    /** @description Models to try in order; the first that is available is used. Takes precedence over the model role. */
                    provider_preferences?: {
                        /** @description Such as anthropic or openai. */
                        provider: string;
                        /** @description A model name; * matches anything, and the newest match is used. */
                        model: string;
                        config?: {
                            [key: string]: unknown;
                        };
                    }[];
                    /** @description What kind of model the task needs. */
                    model_role?: string;
                    /**
                     * @description Fail if none of the preferences can be met. Without it, the default model is used then.
                     * @default false
                     */
                    strict_preferences?: boolean;
                    /** @description Time limit in seconds; null for none. Default: the setting of the delegate tool. */
                    timeout?: number | null;
                    /** @description JSON Schema that the answer must fit. Leave it out for plain text. */
                    output_schema?: {
                        [key: string]: unknown;
                    };
                    /**
                     * @description What the agent may change; at most what its parent may. Default: as the agent or its parent has it.
                     * @enum {string}
                     */
                    safety_mode?: "read_only" | "propose" | "write" | "yolo";
                    /** @description What of the agent may reach the network: false, tools (all but commands) or true; at most what its parent may. */
                    network?: false | "tools" | true;
                    /**
                     * @description Let the agent work in a separate tree. Its changes are returned as a patch.
                     * @enum {string}
                     */
                    isolation?: "none" | "worktree" | "copy";
                    /** @description Inherit only these tools of the parent, by module or tool name. What the agent declares is kept. */
                    inherit_tools?: string[];
                    /** @description Tools of the parent that are not inherited, by module or tool name. */
                    exclude_tools?: string[];
                    /** @description Hooks of the parent that are not inherited. */
                    exclude_hooks?: string[];
                    /** @description Maximum length of the returned answer in characters. The session keeps the full answer. */
                    max_result?: number;
                    /**
                     * @description summary asks the agent to write an answer that fits the maximum length; whole returns it unchanged.
                     * @enum {string}
                     */
                    hand_back?: "whole" | "summary";
                    /** @description Names of skills to include in a new session. */
                    skills?: string[];
                    /**
                     * @description Images (PNG, JPEG, GIF, WebP) and small text files to attach to the instruction, in base64. Not with `busy: steer`.
                     * @example [
                     *       {
                     *         "name": "chart.png",
                     *         "data": "iVBORw0KGgo="
                     *       }
                     *     ]
                     */
                    attachments?: {
                        name: string;
                        data: string;
                    }[];
                    limits?: components["schemas"]["RunLimits"];
                    /** @description Higher runs before queued runs of other sessions. Default: 0. */
                    priority?: number;
                };
            };
        };
        responses: {
            /** @description The launch record it would have. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Launch"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     READ_SCOPE_WIDER: The session was launched when it could read more than its tenant may now.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             *
             *     WORKSPACE_NOT_TRUSTED: The mode changes files, and the folder is not trusted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description AGENT_NOT_FOUND: The session has no agent with this name.
             *
             *     SESSION_NOT_FOUND: There is no session with this id.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description DELEGATION_REFUSED: The session may not make this delegation. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSessionsSessionIdTimeline: {
        parameters: {
            query?: {
                /** @description From the header X-Next-Cursor. */
                cursor?: string;
            };
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By session, in order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Span"][];
                };
            };
            /**
             * @description INVALID_CURSOR: The cursor was not made by this daemon.
             *
             *     INVALID_ID: An id in the address is malformed.
             *
             *     INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_NOT_FOUND: There is no session with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSpend: {
        parameters: {
            query?: {
                by?: "day" | "agent" | "model" | "project";
                from?: string;
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Days in order; others, most expensive first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpendRow"][];
                };
            };
            /**
             * @description INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSpendTrees: {
        parameters: {
            query?: {
                limit?: number;
                from?: string;
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Most expensive first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TreeSpend"][];
                };
            };
            /**
             * @description INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAgents: {
        parameters: {
            query?: {
                /** @description Default: the daemon’s folder. */
                working_dir?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description External ones last. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"][];
                };
            };
            /**
             * @description INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description CONFIGURATION_INVALID: A bundle, settings file or routing matrix of the folder cannot be used.
             *
             *     INVALID_WORKING_DIR: The working folder does not exist, or is not below one that the operator named.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAgentsDryRun: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    agent?: string;
                    instruction: string;
                    /** @description Default: the daemon’s folder. */
                    working_dir?: string;
                    /**
                     * @default read_only
                     * @enum {string}
                     */
                    safety_mode?: "read_only" | "propose" | "write" | "yolo";
                    provider?: string;
                    model?: string;
                };
            };
        };
        responses: {
            /** @description The launch record it would have. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Launch"];
                };
            };
            /**
             * @description MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             *
             *     WORKSPACE_NOT_TRUSTED: The mode changes files, and the folder is not trusted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description AGENT_NOT_FOUND: The session has no agent with this name. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description DELEGATION_REFUSED: The session may not make this delegation. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description CONFIGURATION_INVALID: A bundle, settings file or routing matrix of the folder cannot be used.
             *
             *     INVALID_WORKING_DIR: The working folder does not exist, or is not below one that the operator named.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSettings: {
        parameters: {
            query?: {
                working_dir?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Later files override earlier ones. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
            /**
             * @description INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and the operation concerns the whole deployment.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description CONFIGURATION_INVALID: A bundle, settings file or routing matrix of the folder cannot be used.
             *
             *     INVALID_WORKING_DIR: The working folder does not exist, or is not below one that the operator named.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getProviders: {
        parameters: {
            query?: {
                working_dir?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In order of priority. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"][];
                };
            };
            /**
             * @description INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description CONFIGURATION_INVALID: A bundle, settings file or routing matrix of the folder cannot be used.
             *
             *     INVALID_WORKING_DIR: The working folder does not exist, or is not below one that the operator named.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postProvidersProviderTest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    working_dir?: string;
                    model?: string;
                };
            };
        };
        responses: {
            /** @description The result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        configured: boolean;
                        ok: boolean;
                        detail: string;
                    };
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and the operation concerns the whole deployment.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PROVIDER_NOT_FOUND: No provider has this name. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description CONFIGURATION_INVALID: A bundle, settings file or routing matrix of the folder cannot be used.
             *
             *     INVALID_WORKING_DIR: The working folder does not exist, or is not below one that the operator named.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postDemo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It works. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        session_id: string;
                        run_id: string;
                    };
                };
            };
            /** @description REPEATED_HEADER: A header that may occur once occurs twice. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description DELEGATION_REFUSED: The session may not make this delegation. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAgUiSessionId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgUiRunInput"];
            };
        };
        responses: {
            /** @description A stream of AG-UI events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     READ_SCOPE_WIDER: The session was launched when it could read more than its tenant may now.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             *
             *     WORKSPACE_NOT_TRUSTED: The mode changes files, and the folder is not trusted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description APPROVAL_NOT_FOUND: The session and its descendants have no approval with this id.
             *
             *     SESSION_NOT_FOUND: There is no session with this id.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description APPROVAL_ANSWERED: The approval has already been answered.
             *
             *     APPROVAL_CLOSED: The approval is no longer pending.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description BUDGET_SPENT: The daily budget of the tenant or token is spent; it resets at `resets_at`.
             *
             *     RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`.
             *
             *     TOO_MANY_RUNS: The queue of the session is full.
             */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postSignInLinks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Default: the scope of the token.
                     * @enum {string}
                     */
                    scope?: "read" | "run" | "admin";
                };
            };
        };
        responses: {
            /** @description The link. It is not shown again. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInLink"];
                };
            };
            /**
             * @description MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSessionOfBrowser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The scope of the cookie or token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrowserSession"];
                };
            };
            /** @description REPEATED_HEADER: A header that may occur once occurs twice. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postSignOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default false */
                    everywhere?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. Open streams end with `revoked`. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postSessionsSessionIdShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Seconds.
                     * @default 86400
                     */
                    expires_in?: number;
                };
            };
        };
        responses: {
            /** @description The link. It is not shown again. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharedLink"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description SESSION_NOT_FOUND: There is no session with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteSessionsSessionIdShare: {
        parameters: {
            query?: {
                share_id?: string;
            };
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked. Open streams end. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description SESSION_NOT_FOUND: There is no session with this id.
             *
             *     TOKEN_NOT_FOUND: There is no token, browser or shared link with this id.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Without their secrets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"][];
                };
            };
            /** @description REPEATED_HEADER: A header that may occur once occurs twice. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    scope: "read" | "run" | "admin";
                    name?: string | null;
                    /**
                     * @description The tenant of the new token. A tenant’s tokens can create only tokens of that tenant.
                     * @example team-a
                     */
                    tenant?: string;
                };
            };
        };
        responses: {
            /** @description The only response that contains the token itself. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewToken"];
                };
            };
            /**
             * @description MALFORMED_JSON: The body is not JSON, is nested too deeply, or has too many members.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             *
             *     VALIDATION_FAILED: The body is invalid; `errors` says where.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PAYLOAD_TOO_LARGE: The body, or a message in it, is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNSUPPORTED_MEDIA_TYPE: The body is not sent as application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteTokensTokenId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Open streams end with `revoked`. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description INVALID_ID: An id in the address is malformed.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description TOKEN_NOT_FOUND: There is no token, browser or shared link with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAudit: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditLine"][];
                };
            };
            /**
             * @description INVALID_QUERY: A query parameter is out of range.
             *
             *     REPEATED_HEADER: A header that may occur once occurs twice.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description UNAUTHENTICATED: The request carries no valid bearer token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description FORBIDDEN: The host or origin of the request is not allowed.
             *
             *     INSUFFICIENT_SCOPE: The token lacks the scope; the problem names the one needed.
             *
             *     TENANT_NOT_LISTED: The token belongs to a tenant that the configuration does not list.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token exceeds its request rate; retry after `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INTERNAL: The daemon failed; its log has the details under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
