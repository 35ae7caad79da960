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
         * @description 503 while something that serves for ever (runs, leases, events, webhooks) cannot: `loops` says which. `degraded` when items of one had to be set aside; the messages are at /api/v1/status.
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
         * @description Finds and compiles their profiles. With "Accept: application/x-ndjson" the progress comes line by line. Needs the scope `admin`. Not for tokens of a tenant.
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
         * Forget a collection and its profiles
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
         * Have no active profile
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
         * Compile a profile from what its collection holds
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
         * Get what a profile was compiled to
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
         * See whether a profile is as its collection has it
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
         * @description Stores the plan with a session that waits to be started; with `dry_run` it stores nothing and answers 200. Needs the scope `run`.
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
         * @description Looks for missing resources, duplicate ids and wrong configuration. Only files of the daemon itself are looked at. Needs the scope `read`.
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
         * See whether plans can be made and stored
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
         * @description `format=core` gives the form the kernel mounts. Needs the scope `read`.
         */
        get: operations["getMountPlansSessionId"];
        put?: never;
        post?: never;
        /**
         * Delete a mount plan that no session lives by
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
         * Create a session below another, with an overlay on its plan
         * @description The child starts from the plan its parent has, with its settings. `agent_overlay` has the sections agents, context, providers, tools, hooks and session; entries take `enabled`, `config`, and for new agents `content` or `source`. Needs the scope `run`.
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
         * @description Never an active session, and never one above a session that stays. Parameters in the body or the query. Needs the scope `admin`.
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
         * @description Filters apply before the limit. The next page is in the headers Link and X-Next-Cursor. Needs the scope `read`.
         */
        get: operations["getSessions"];
        put?: never;
        /**
         * Create a session with its mount plan
         * @description Without a profile the active one is taken. The session waits as `created` until it is started. Needs the scope `run`.
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
         * Find sessions by what was said in them
         * @description Looks at ids, names and messages, newest session first. Follow the cursor to look further back. Needs the scope `read`.
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
         * @description The end of it comes first: ask again with `before` the first seq until `X-Has-More` is false. Seqs begin with 1 and have no gaps. Needs the scope `read`.
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
         * @description It is on disk when the answer comes. Only an active session takes messages. Needs the scope `run`.
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
         * @description Needs the scope `read`.
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
         * Bring back an exported session
         * @description The body is what the export gave, sent as application/x-ndjson. All of it is taken, or nothing, but for its launch record: what the session may do is settled here. With the scope `run` its plan must be one that could be asked for here. Needs the scope `run`.
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
         * Get or follow what happens in a session
         * @description With `Accept: text/event-stream` it is a stream that stays open: each event has a persistent id, and a client that connects again with `Last-Event-ID` (or `after`) gets everything since, once. `synced` says that everything stored has been sent; `gap` that the client reads too slowly: what it has missed follows from the log, or can be read from the `after` it names; `reset` that the place is no longer kept; `shutdown` that the daemon is stopping; `revoked` that the token no longer counts. Without a place it begins with the first event. Needs the scope `read`.
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
         * Get or follow what happens in all sessions
         * @description With `Accept: text/event-stream` it is a stream that stays open: each event has a persistent id, and a client that connects again with `Last-Event-ID` (or `after`) gets everything since, once. `synced` says that everything stored has been sent; `gap` that the client reads too slowly: what it has missed follows from the log, or can be read from the `after` it names; `reset` that the place is no longer kept; `shutdown` that the daemon is stopping; `revoked` that the token no longer counts. Without a place the stream begins now, and a page is empty but names the place of this moment in `X-Next-Cursor`. Needs the scope `read`.
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
         * Hear what sessions that run at this daemon are saying
         * @description For other daemons of the same record; everybody else asks for `deltas` of events, which any daemon has. One line of JSON for each piece. Needs the scope `read`. Not for tokens of a tenant.
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
         * Be told of events
         * @description Without `events` those of runs and approvals. Each event is a POST with `{type, timestamp, data}` and the headers of Standard Webhooks: `webhook-id` (the same in every attempt: receivers must take a known one as done), `webhook-timestamp` and `webhook-signature`. Anything but 2xx is tried again, for about a day and a half. Private addresses and redirects are refused unless the operator allows private ones. Needs the scope `admin`.
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
         * Change a webhook, or switch it off
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
         * See what was sent to a webhook
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
         * Send a delivery once more
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
         * Give a session an instruction and let it work
         * @description The run is on disk when the answer comes, and goes on whether or not the client stays. A session that has ended becomes active again. Needs the scope `run`.
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
         * Hand a task to a child of a session
         * @description The child inherits from the session what the options say. The session itself need not be at work; several delegations go on at once. With `session_id` an existing child is given another instruction. Needs the scope `run`.
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
         * @description Ended runs are kept for a week; what they did stays in the sessions. Needs the scope `read`.
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
         * @description One that waits in line ends at once. The request is kept: it also counts when the daemon dies now. Needs the scope `run`.
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
         * Let a run that was cut off go on
         * @description Makes a run of its own. What was done counts: finished children are not run again, and answers given meanwhile are taken. Needs the scope `run`.
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
         * @description Those of its mount plan first, then the external coding agents, installed or not. Needs the scope `read`.
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
         * List the approvals of all sessions that wait for an answer, oldest first
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
         * List the approvals of a session and of everything below it, oldest first
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
         * @description The answer is on disk when the reply comes, and counts whenever the session goes on: also after the daemon was restarted. Needs the scope `run`.
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
         * List what agents would change and nobody has applied, and what can be undone, oldest first
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
         * Remove old proposals, and what is kept to undo old ones
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
         * Apply a proposal: all of it, or nothing where a file was changed since
         * @description Needs a trusted folder, as the mode `write` does; and the scope `admin` where sessions may not write (`runs.safety_mode`). Needs the scope `run`.
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
         * Take back an applied proposal, bit for bit
         * @description Needs a trusted folder, as the mode `write` does; and the scope `admin` where sessions may not write (`runs.safety_mode`). Needs the scope `run`.
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
         * Get a session with everything below it
         * @description To follow it from there: the events of this session with `children=true` after `cursor`; or, for a large tree, those of /api/v1/events with `root_id` after `feed_cursor`, without the ones that `event_seq` of their node already covers. Needs the scope `read`.
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
         * List delegations, newest first: their roots, with what each whole tree amounts to
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
         * Tell a session something while it works
         * @description It reads it at its next step, also where another process, such as a terminal, runs it. One that does not work reads it before its next instruction. Needs the scope `run`.
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
         * Stop what a session does, alone or with everything below it
         * @description Also where another process, such as a terminal, runs it. What waits in line for it is withdrawn. Needs the scope `run`.
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
         * Let a session go on whose process died in the middle of a turn
         * @description What was done counts: finished children are not run again. Needs the scope `run`.
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
         * Get what a session was launched with: rights, limits and what is used, model, context
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
         * See what a delegation would be launched with, without spending anything
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
         * Get what a session and everything below it did when, as spans
         * @description Made from the logs: turns, model calls, tools and waits for people. The spans of 200 sessions, parents first, are on one page. Needs the scope `read`.
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
         * See tokens and cost by day, agent, model or project
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
         * See the most expensive delegations
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
         * See what a session of an agent would be launched with, without spending anything
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
         * See what applies, and from which file; secrets are left out
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
         * List the model providers, and why one cannot be used
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
         * Start a delegation on fixed rules: no key, no network, real sessions and tools that only read
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
         * Run a session and follow it as events of AG-UI
         * @description The last message of the user is the instruction. Children are sub-agents; approvals and questions end the stream with the outcome `interrupt`, and `resume` answers them: `payload` is `{approved}`, `{answer}` or the answer itself. A client that leaves stops nothing. Needs the scope `run`.
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
         * Make a link that signs a browser in, once and within a minute
         * @description What `amplifier web` opens. It gives no more than the token it is made with may do. Needs the scope `read`.
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
         * Who is signed in here
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
         * @description With `everywhere` every browser is signed out that was signed in with the same token; with the scope `admin` every browser, and no shared link is good any more. Needs the scope `read`.
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
         * Make a link with which anybody can read a session and what is below it, for a while
         * @description Needs the scope `run`.
         */
        post: operations["postSessionsSessionIdShare"];
        /**
         * Take back the links that share a session, or one of them
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
         * Refuse a token, a browser or a shared link from now on
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
         * @description Every request that changes something has a line, also at `/mcp`; those of a tenant see their own. Needs the scope `admin`.
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
            /** @description Items that could not be served since the start. */
            set_aside: number;
            /** @description How often in a row what it depends on has failed. */
            failures: number;
        };
        RecordSign: {
            /** @enum {string} */
            kind: "file" | "server";
            /** @description How long the record took to answer just now. */
            answer_ms: number;
            /** @description Events that followers of this daemon have yet to get. */
            events_behind: number;
            /** @description Runs in line, at all daemons of the record. */
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
             * @description `roster`: nobody but the agents of the plan may be delegated to.
             * @enum {string}
             */
            agent_access?: "all" | "roster";
            /** @description What a bundle says of the children of its sessions. */
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
            /** @description Make the plan, store nothing. */
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
            /** @description Start from the profile as it is now, not from the parent's plan. */
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
            /** @description The process that ran it died in the middle of a turn. */
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
            /** @description The host or pool that its runs are executed by. Default: that of its folder. */
            place?: string;
            auto_start?: boolean;
        };
        SessionIndexEntry: {
            /** @example session_01KA1B2C3D4E5F6G7H8J9K0M1N */
            session_id: string;
            parent_session_id: string | null;
            root_session_id: string;
            status: components["schemas"]["SessionStatus"];
            /** @description The process that ran it died in the middle of a turn. */
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
            /** @description 1 for the first event of the session; never repeated, never skipped. */
            seq: number;
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
            /** @description Signs what is sent. It is not shown again. */
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
            /** @description Names of events; `run:*` means all that begin with `run:`. */
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
                seq: number;
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
            /** @description How often a process took it up; more than once after the daemon died. */
            attempts: number;
            /** @description Who asked for it to stop. */
            cancel_requested: string | null;
            continued_from: string | null;
            busy: string;
            limits: {
                [key: string]: unknown;
            };
            approvals: {
                [key: string]: unknown;
            };
            /** @description Of a delegation: who was asked. */
            agent: string | null;
            /** @description Of a delegation: the session that did it. */
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
             * @description Images (PNG, JPEG, GIF, WebP) and small text files that are shown with the instruction, in base64. They do not go with `busy: steer`.
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
             * @description When the session is at work: wait in line, refuse (409), tell the run that is at work, or stop it and all that waits.
             * @default queue
             * @enum {string}
             */
            busy?: "queue" | "reject" | "steer" | "interrupt";
            /**
             * @description Sending the same id again gives back the first run.
             * @example run_01KA1B2C3D4E5F6G7H8J9K0M1N
             */
            run_id?: string;
            limits?: components["schemas"]["RunLimits"];
            approvals?: components["schemas"]["RunApprovals"];
            /** @description Higher goes before what waits of other sessions. Default: 0. */
            priority?: number;
            /** @description Wait so many seconds for the end of the run: 200 when it has ended by then, else 202. */
            wait?: number;
        };
        /**
         * @description For this run and all that it delegates; never looser than those of the session. `timeout` and `stall` are seconds, `max_turns` counts model calls.
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
         * @description How long approvals of this run wait, and what counts then. Default: as the daemon is configured.
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
            agent?: string;
            instruction: string;
            session_id?: string;
            /** @enum {string} */
            context_depth?: "none" | "recent" | "summary" | "all";
            context_turns?: number;
            /** @enum {string} */
            context_scope?: "conversation" | "agents" | "full";
            provider_preferences?: {
                provider: string;
                model: string;
                config?: {
                    [key: string]: unknown;
                };
            }[];
            model_role?: string;
            strict_preferences?: boolean;
            timeout?: number | null;
            output_schema?: {
                [key: string]: unknown;
            };
            /** @enum {string} */
            safety_mode?: "read_only" | "propose" | "write" | "yolo";
            /** @enum {string} */
            isolation?: "none" | "worktree" | "copy";
            inherit_tools?: string[];
            exclude_tools?: string[];
            exclude_hooks?: string[];
            max_result?: number;
            /** @enum {string} */
            hand_back?: "whole" | "summary";
            skills?: string[];
            /**
             * @description Images (PNG, JPEG, GIF, WebP) and small text files that are shown with the instruction, in base64. They do not go with `busy: steer`.
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
             * @description Sending the same id again gives back the first run.
             * @example run_01KA1B2C3D4E5F6G7H8J9K0M1N
             */
            run_id?: string;
            limits?: components["schemas"]["RunLimits"];
            approvals?: components["schemas"]["RunApprovals"];
            /** @description Higher goes before what waits of other sessions. Default: 0. */
            priority?: number;
            /** @description Wait so many seconds for the end of the run: 200 when it has ended by then, else 202. */
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
            /** @description How often a process took it up; more than once after the daemon died. */
            attempts: number;
            /** @description Who asked for it to stop. */
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
             * @description `graceful` lets the step under way end; `immediate` stops it.
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
            /** @description Wait so many seconds for the end of the run: 200 when it has ended by then, else 202. */
            wait?: number;
        };
        /**
         * @example {
         *       "wait": 30
         *     }
         */
        ContinueRun: {
            /**
             * @description Sending the same id again gives back the first run.
             * @example run_01KA1B2C3D4E5F6G7H8J9K0M1N
             */
            run_id?: string;
            /** @description Wait so many seconds for the end of the run: 200 when it has ended by then, else 202. */
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
            /** @description What to give to `delegate` as `agent`. */
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
            /** @description Who asks: the session itself or one below it. */
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
             * @description The call that waits for the answer. What it would do is in the transcript of the session.
             * @example call_1
             */
            tool_call_id: string | null;
            /** @enum {string} */
            status: "pending" | "answered" | "closed";
            /**
             * Format: date-time
             * @example 2026-01-05T09:01:00.000Z
             */
            asked_at: string;
            /**
             * Format: date-time
             * @description When the time-out policy answers; null for never.
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
            /** @description `timeout` when it was the policy. */
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
            /** @description In the place of `answer`: the first option that says so. */
            approved?: boolean;
            /** @description Told to whoever asked beside the answer, such as why not and what to do instead. */
            message?: string;
            /** @description Who answers, for the record. */
            by?: string;
        };
        Proposal: {
            id: string;
            /**
             * @description `proposed` and `left` (its process died) wait for somebody; `applied` can be undone.
             * @enum {string}
             */
            state: "proposed" | "left" | "applied" | "undone";
            session_id: string | null;
            /** @description The folder it is for. */
            target: string;
            /** Format: date-time */
            created_at: string;
            note: string | null;
            changes: {
                path: string;
                /** @enum {string} */
                kind: "added" | "deleted" | "modified";
            }[];
        };
        ProposalDetail: components["schemas"]["Proposal"] & {
            diff: string;
            /** @description Made, but ignored by git: not applied. */
            ignored: string[];
            skipped: {
                path: string;
                reason: string;
            }[];
            /** @description Files among the changes that other programs act by later. Such a proposal is applied by a person alone. */
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
             * @description How its present turn ended; null while it has not.
             * @example completed
             */
            outcome_status: string | null;
            interrupted: boolean;
            /**
             * @description What it waits for a person with.
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
            /** @description The seq of the last event that this takes into account. */
            event_seq: number;
            children: components["schemas"]["SessionTreeNode"][];
        };
        Spent: {
            tokens: number;
            /** @description US dollars as a decimal string; null when unknown, which is not free. */
            cost_usd: string | null;
            /** @description Tokens of sessions whose cost nobody knows. */
            unpriced_tokens: number;
        };
        TreeSummary: {
            session_id: string;
            parent_id: string | null;
            agent: string | null;
            status: components["schemas"]["SessionStatus"];
            /**
             * @description How its present turn ended; null while it has not.
             * @example completed
             */
            outcome_status: string | null;
            interrupted: boolean;
            /**
             * @description What it waits for a person with.
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
            /** @description The seq of the last event that this takes into account. */
            event_seq: number;
            project: string | null;
            /** @description How many sessions the tree has. */
            sessions: number;
            /** @description How many of them are at work. */
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
            /** @description The call that waits for an approval; its input is in the transcript. */
            tool_call_id: string | null;
            /** Format: date-time */
            expires_at: string | null;
            error: {
                code: string;
                message: string;
            } | null;
        };
        LaunchOfSession: components["schemas"]["Launch"] & {
            /** @description Changes of it that wait to be applied. */
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
            /** @description What of the conversation was passed, and what was dropped and why. */
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
             * @description Null while it goes on.
             */
            end: string | null;
            ok: boolean | null;
            tokens: number | null;
            cost_usd: string | null;
            /** @description Of the event that ended it, else of the one that began it. */
            seq: number;
            /** @description Leads to the place in the conversation. */
            tool_call_id: string | null;
        };
        SpendRow: {
            key: string;
            input_tokens: number;
            output_tokens: number;
            cached_tokens: number;
            total_tokens: number;
            /** @description What is known of it; null when nothing is. */
            cost_usd: string | null;
            /** @description Tokens whose cost nobody knows. */
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
            /** @description What is known of it; null when nothing is. */
            cost_usd: string | null;
            /** @description Tokens whose cost nobody knows. */
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
            /** @description Why it cannot be used now. */
            problem: string | null;
            external: boolean;
            /** @enum {string} */
            state: "ready" | "not_installed" | "unusable";
        };
        Settings: {
            home: string;
            folder: string | null;
            /** @description Whether files of the folder may act. */
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
            /** @description Whose token it is, where teams share the deployment. */
            tenant: string | null;
            /** Format: date-time */
            expires_at: string | null;
            /** @description The only session that a shared link shows, with what is below it. */
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
            /** @description Whose it is; null: the operator’s. */
            tenant: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string | null;
            /** @description What a shared link shows. */
            session_id: string | null;
        };
        NewToken: components["schemas"]["Token"] & {
            token: string;
        };
        AuditLine: {
            n: number;
            /** Format: date-time */
            time: string;
            /** @description Whose token it was; empty for the operator’s own. */
            tenant: string;
            /** @description The id of the token, or `owner`. */
            caller: string;
            /** @example POST /api/v1/sessions/{session_id}/runs */
            operation: string;
            /** @example /api/v1/sessions/session_01k0/runs */
            target: string;
            /** @description The status of the answer; 0 where the daemon died before it. */
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
            /** @description It can. `notes` say what is amiss all the same. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and this is about the whole deployment.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and this is about the whole deployment.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             *     REGISTRY_UNREADABLE: The list of collections cannot be read, so it is not written either.
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
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     INVALID_SOURCE: The source is not written in a form that is understood, or may not be used.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and this is about the whole deployment.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description COLLECTION_EXISTS: A collection with this id is registered already. */
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             *     REGISTRY_UNREADABLE: The list of collections cannot be read, so it is not written either.
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
                    /** @description Ask git and http sources for news. */
                    update?: boolean;
                };
            };
        };
        responses: {
            /** @description What became of each. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SyncResult"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     INVALID_QUERY: A query parameter is outside of what the call allows.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and this is about the whole deployment.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             *     REGISTRY_UNREADABLE: The list of collections cannot be read, so it is not written either.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description Gone. Sessions that were planned from its profiles keep what they need. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and this is about the whole deployment.
             *
             *     PROFILE_READ_ONLY: Only profiles of the local collection can be changed here.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             *     REGISTRY_UNREADABLE: The list of collections cannot be read, so it is not written either.
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
                    /** @description Ask git and http sources for news. */
                    update?: boolean;
                };
            };
        };
        responses: {
            /** @description What became of it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SyncResult"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and this is about the whole deployment.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             *     REGISTRY_UNREADABLE: The list of collections cannot be read, so it is not written either.
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
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description INVALID_QUERY: A query parameter is outside of what the call allows. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     INVALID_SOURCE: The source is not written in a form that is understood, or may not be used.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and this is about the whole deployment.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PROFILE_EXISTS: A profile with this name exists already. */
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
             *     PROFILE_INVALID: The profile manifest cannot be used.
             *
             *     RESOURCE_MISSING: The profile refers to a file or folder that is not there.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and this is about the whole deployment.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and this is about the whole deployment.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description The ETag that the change is meant for. */
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
            /** @description Gone. Sessions that were planned from it keep what they need. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and this is about the whole deployment.
             *
             *     PROFILE_READ_ONLY: Only profiles of the local collection can be changed here.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description The ETag that the change is meant for. */
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
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     INVALID_SOURCE: The source is not written in a form that is understood, or may not be used.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and this is about the whole deployment.
             *
             *     PROFILE_READ_ONLY: Only profiles of the local collection can be changed here.
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
             *     PROFILE_INVALID: The profile manifest cannot be used.
             *
             *     RESOURCE_MISSING: The profile refers to a file or folder that is not there.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and this is about the whole deployment.
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
             * @description PROFILE_INVALID: The profile manifest cannot be used.
             *
             *     RESOURCE_MISSING: The profile refers to a file or folder that is not there.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and this is about the whole deployment.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and this is about the whole deployment.
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
            /** @description PROFILE_EXISTS: A profile with this name exists already. */
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description Carries the request out once; the same key gets the same answer for a day. */
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
             *     INVALID_SESSION_ID: The text is not a session id, so it names nothing.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
             *     IDEMPOTENCY_IN_FLIGHT: A request with the same Idempotency-Key is still being carried out.
             *
             *     PARENT_ENDED: The parent session has ended.
             *
             *     SESSION_EXISTS: The session id is taken.
             *
             *     TOO_MANY_CHILDREN: The session has as many children as it may have.
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
            /** @description IDEMPOTENCY_KEY_REUSED: The Idempotency-Key was used for a request with another content. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description STORAGE_FULL: The disk, or the quota on it, is full. */
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
             * @description INVALID_QUERY: A query parameter is outside of what the call allows.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description Always 200; `status` says how it is. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description From the header X-Next-Cursor of the page before. */
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
             *     INVALID_QUERY: A query parameter is outside of what the call allows.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     INVALID_QUERY: A query parameter is outside of what the call allows.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
             * @description PLAN_OWNED: A session lives by this plan, so it cannot be deleted alone.
             *
             *     SESSION_HAS_CHILDREN: Sessions hang below this one; say what to do with them.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description Carries the request out once; the same key gets the same answer for a day. */
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
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     INVALID_IDEMPOTENCY_KEY: The header Idempotency-Key is empty, too long or not plain ASCII.
             *
             *     INVALID_OVERLAY: The overlay has a section, name or value that cannot be applied.
             *
             *     INVALID_SESSION_ID: The text is not a session id, so it names nothing.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
             *     IDEMPOTENCY_IN_FLIGHT: A request with the same Idempotency-Key is still being carried out.
             *
             *     PARENT_ENDED: The parent session has ended.
             *
             *     SESSION_EXISTS: The session id is taken.
             *
             *     TOO_MANY_CHILDREN: The session has as many children as it may have.
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
            /** @description IDEMPOTENCY_KEY_REUSED: The Idempotency-Key was used for a request with another content. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             * @description INVALID_QUERY: A query parameter is outside of what the call allows.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description The ETag that the change is meant for. */
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
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     INVALID_QUERY: A query parameter is outside of what the call allows.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
             *     SESSION_HAS_CHILDREN: Sessions hang below this one; say what to do with them.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description The ETag that the change is meant for. */
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
            /** @description As it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionMetadata"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description From the header X-Next-Cursor of the page before. */
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
             *     INVALID_QUERY: A query parameter is outside of what the call allows.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description Carries the request out once; the same key gets the same answer for a day. */
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
             *     INVALID_QUERY: A query parameter is outside of what the call allows.
             *
             *     INVALID_SESSION_ID: The text is not a session id, so it names nothing.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
             *     IDEMPOTENCY_IN_FLIGHT: A request with the same Idempotency-Key is still being carried out.
             *
             *     PARENT_ENDED: The parent session has ended.
             *
             *     SESSION_EXISTS: The session id is taken.
             *
             *     TOO_MANY_CHILDREN: The session has as many children as it may have.
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
             * @description IDEMPOTENCY_KEY_REUSED: The Idempotency-Key was used for a request with another content.
             *
             *     INVALID_WORKING_DIR: The folder the session is to work in is not there, or is not below one that the operator named.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description STORAGE_FULL: The disk, or the quota on it, is full. */
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
                /** @description From the header X-Next-Cursor of the page before. */
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
             *     INVALID_QUERY: A query parameter is outside of what the call allows.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description From the header X-Next-Cursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Sessions with the first place that fits. */
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
             *     INVALID_QUERY: A query parameter is outside of what the call allows.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description The ETag that the change is meant for. */
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
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
             * @description INVALID_TRANSITION: The session cannot go from its present status to the one asked for.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description The ETag that the change is meant for. */
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
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
             * @description INVALID_TRANSITION: The session cannot go from its present status to the one asked for.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description The ETag that the change is meant for. */
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
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     INVALID_QUERY: A query parameter is outside of what the call allows.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
             * @description INVALID_TRANSITION: The session cannot go from its present status to the one asked for.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description The ETag that the change is meant for. */
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
                    /** @description Also what hangs below. */
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
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
             * @description INVALID_TRANSITION: The session cannot go from its present status to the one asked for.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description The ETag that the change is meant for. */
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
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
             * @description INVALID_TRANSITION: The session cannot go from its present status to the one asked for.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description The last so many, also before `before`; with `after`, the first so many after it. */
                limit?: number;
                /** @description Only messages with a higher seq: a cursor that never goes wrong. */
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
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     INVALID_QUERY: A query parameter is outside of what the call allows.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description Carries the request out once; the same key gets the same answer for a day. */
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
            /** @description As it was stored. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionMessage"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     INVALID_IDEMPOTENCY_KEY: The header Idempotency-Key is empty, too long or not plain ASCII.
             *
             *     INVALID_QUERY: A query parameter is outside of what the call allows.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
             * @description IDEMPOTENCY_IN_FLIGHT: A request with the same Idempotency-Key is still being carried out.
             *
             *     SESSION_BUSY: Another process is writing this session.
             *
             *     SESSION_CLOSED: The session has ended and takes no more messages.
             *
             *     SESSION_NOT_STARTED: The session has not been started, so it takes no messages yet.
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
            /** @description IDEMPOTENCY_KEY_REUSED: The Idempotency-Key was used for a request with another content. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description STORAGE_FULL: The disk, or the quota on it, is full. */
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
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description SESSION_FOREIGN: Another program wrote this session: it can be read, but not written. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             * @description INVALID_QUERY: A query parameter is outside of what the call allows.
             *
             *     INVALID_SESSION_ID: The text is not a session id, so it names nothing.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description As GET /api/v1/mount-plans/{session_id}. */
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
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description A seq, or the id of an event of this stream. */
                after?: string;
                before?: number | null;
                limit?: number;
                /** @description Also everything below the session. */
                children?: boolean;
                /** @description Only events of these names; `run:*` means all that begin with `run:`. */
                names?: string[];
                /** @description Streams only: also text while it is written, of whichever process. `delta`, `snapshot` and `message_end` say what a message that is not stored yet amounts to; `message` says at which seq one was stored. These frames have no id, and are dropped first for a reader that is too slow. */
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
             *     INVALID_ID: An id in the address is not written as such ids are.
             *
             *     INVALID_QUERY: A query parameter is outside of what the call allows.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description OVERLOADED: The daemon serves as many as it can; try again after the time in Retry-After. */
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
                /** @description The id of an event of this stream. */
                after?: string;
                limit?: number;
                /** @description Only those of this tree. */
                root_id?: string;
                /** @description Only events of these names; `run:*` means all that begin with `run:`. */
                names?: string[];
                /** @description Streams only: also text while it is written, of whichever process. `delta`, `snapshot` and `message_end` say what a message that is not stored yet amounts to; `message` says at which seq one was stored. These frames have no id, and are dropped first for a reader that is too slow. */
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
             *     INVALID_QUERY: A query parameter is outside of what the call allows.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description OVERLOADED: The daemon serves as many as it can; try again after the time in Retry-After. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and this is about the whole deployment.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description Carries the request out once; the same key gets the same answer for a day. */
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
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description IDEMPOTENCY_IN_FLIGHT: A request with the same Idempotency-Key is still being carried out. */
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
            /** @description IDEMPOTENCY_KEY_REUSED: The Idempotency-Key was used for a request with another content. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description STORAGE_FULL: The disk, or the quota on it, is full. */
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
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description The ETag that the change is meant for. */
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
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description The ETag that the change is meant for. */
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
                    /** @description Names of events; `run:*` means all that begin with `run:`. */
                    events?: string[];
                    description?: string | null;
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description As it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     INVALID_QUERY: A query parameter is outside of what the call allows.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description It is on its way, with the same id. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description From the header X-Next-Cursor of the page before. */
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
             *     INVALID_ID: An id in the address is not written as such ids are.
             *
             *     INVALID_QUERY: A query parameter is outside of what the call allows.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description Carries the request out once; the same key gets the same answer for a day. */
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
            /** @description Taken on, and on disk. 200 when it has ended. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     INVALID_IDEMPOTENCY_KEY: The header Idempotency-Key is empty, too long or not plain ASCII.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
             * @description IDEMPOTENCY_IN_FLIGHT: A request with the same Idempotency-Key is still being carried out.
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
            /** @description IDEMPOTENCY_KEY_REUSED: The Idempotency-Key was used for a request with another content. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description BUDGET_SPENT: What the tenant or the token may spend in a day is spent; `resets_at` says when there is more.
             *
             *     RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on.
             *
             *     TOO_MANY_RUNS: As many runs of the session wait in line as may.
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
            /** @description STORAGE_FULL: The disk, or the quota on it, is full. */
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
                /** @description Carries the request out once; the same key gets the same answer for a day. */
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
            /** @description Taken on, and on disk. 200 when it has ended. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     INVALID_IDEMPOTENCY_KEY: The header Idempotency-Key is empty, too long or not plain ASCII.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
             * @description AGENT_NOT_FOUND: The session knows no agent of this name.
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
             * @description DELEGATION_REFUSED: The session may not delegate this.
             *
             *     IDEMPOTENCY_IN_FLIGHT: A request with the same Idempotency-Key is still being carried out.
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
             * @description IDEMPOTENCY_KEY_REUSED: The Idempotency-Key was used for a request with another content.
             *
             *     INVALID_WORKING_DIR: The folder the session is to work in is not there, or is not below one that the operator named.
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
             * @description BUDGET_SPENT: What the tenant or the token may spend in a day is spent; `resets_at` says when there is more.
             *
             *     RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on.
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
            /** @description STORAGE_FULL: The disk, or the quota on it, is full. */
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
                /** @description From the header X-Next-Cursor of the page before. */
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
             *     INVALID_QUERY: A query parameter is outside of what the call allows.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description Wait so many seconds for its end. */
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
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     INVALID_QUERY: A query parameter is outside of what the call allows.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description Taken on, and on disk. 200 when it has ended. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description Taken on, and on disk. 200 when it has ended. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RUN_NOT_INTERRUPTED: Only a run that was cut off, and that nothing has followed, can be continued. */
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
             * @description BUDGET_SPENT: What the tenant or the token may spend in a day is spent; `resets_at` says when there is more.
             *
             *     RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on.
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
                /** @description From the header X-Next-Cursor of the page before. */
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
             *     INVALID_ID: An id in the address is not written as such ids are.
             *
             *     INVALID_QUERY: A query parameter is outside of what the call allows.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description From the header X-Next-Cursor of the page before. */
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
             *     INVALID_QUERY: A query parameter is outside of what the call allows.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description From the header X-Next-Cursor of the page before. */
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
             *     INVALID_ID: An id in the address is not written as such ids are.
             *
             *     INVALID_QUERY: A query parameter is outside of what the call allows.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
             * @description APPROVAL_NOT_FOUND: The session and those below it have no approval with this id.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description As it was answered. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
             * @description APPROVAL_NOT_FOUND: The session and those below it have no approval with this id.
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
             * @description APPROVAL_ANSWERED: The approval has been answered already.
             *
             *     APPROVAL_CLOSED: Nobody waits for this approval any more.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             * @description MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PROPOSAL_NOT_FOUND: There is no proposal with this id, or several begin with it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PROPOSAL_NOT_FOUND: There is no proposal with this id, or several begin with it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description PROPOSAL_NOT_WAITING: The proposal is not in a state in which this can be done. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description What became of it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResolvedProposal"];
                };
            };
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description PROPOSAL_NOT_FOUND: There is no proposal with this id, or several begin with it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description PROPOSAL_ACTS_LATER: The proposal changes files that other programs act by; a person applies it.
             *
             *     PROPOSAL_NOT_WAITING: The proposal is not in a state in which this can be done.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description What became of it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResolvedProposal"];
                };
            };
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description PROPOSAL_NOT_FOUND: There is no proposal with this id, or several begin with it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description PROPOSAL_ACTS_LATER: The proposal changes files that other programs act by; a person applies it.
             *
             *     PROPOSAL_NOT_WAITING: The proposal is not in a state in which this can be done.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description From the header X-Next-Cursor of the page before. */
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
             *     INVALID_QUERY: A query parameter is outside of what the call allows.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description From the header X-Next-Cursor of the page before. */
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
             *     INVALID_QUERY: A query parameter is outside of what the call allows.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                     * @description `graceful` lets the step that is under way end.
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
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description The run that continues with it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RUN_NOT_INTERRUPTED: Only a run that was cut off, and that nothing has followed, can be continued. */
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                    agent?: string;
                    instruction: string;
                    /** @enum {string} */
                    context_depth?: "none" | "recent" | "summary" | "all";
                    context_turns?: number;
                    /** @enum {string} */
                    context_scope?: "conversation" | "agents" | "full";
                    provider_preferences?: {
                        provider: string;
                        model: string;
                        config?: {
                            [key: string]: unknown;
                        };
                    }[];
                    model_role?: string;
                    strict_preferences?: boolean;
                    timeout?: number | null;
                    output_schema?: {
                        [key: string]: unknown;
                    };
                    /** @enum {string} */
                    safety_mode?: "read_only" | "propose" | "write" | "yolo";
                    /** @enum {string} */
                    isolation?: "none" | "worktree" | "copy";
                    inherit_tools?: string[];
                    exclude_tools?: string[];
                    exclude_hooks?: string[];
                    max_result?: number;
                    /** @enum {string} */
                    hand_back?: "whole" | "summary";
                    skills?: string[];
                    /**
                     * @description Images (PNG, JPEG, GIF, WebP) and small text files that are shown with the instruction, in base64. They do not go with `busy: steer`.
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
                    /** @description Higher goes before what waits of other sessions. Default: 0. */
                    priority?: number;
                };
            };
        };
        responses: {
            /** @description The launch record that it would have. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Launch"];
                };
            };
            /**
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
             * @description AGENT_NOT_FOUND: The session knows no agent of this name.
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
            /** @description DELEGATION_REFUSED: The session may not delegate this. */
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             *     INVALID_ID: An id in the address is not written as such ids are.
             *
             *     INVALID_QUERY: A query parameter is outside of what the call allows.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description INVALID_QUERY: A query parameter is outside of what the call allows. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description INVALID_QUERY: A query parameter is outside of what the call allows. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                /** @description Default: where the daemon works. */
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
            /** @description INVALID_QUERY: A query parameter is outside of what the call allows. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INVALID_WORKING_DIR: The folder the session is to work in is not there, or is not below one that the operator named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                    /** @description Default: where the daemon works. */
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
            /** @description The launch record that it would have. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Launch"];
                };
            };
            /**
             * @description MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description AGENT_NOT_FOUND: The session knows no agent of this name. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description DELEGATION_REFUSED: The session may not delegate this. */
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
            /** @description INVALID_WORKING_DIR: The folder the session is to work in is not there, or is not below one that the operator named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description Later files count over earlier ones. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
            /** @description INVALID_QUERY: A query parameter is outside of what the call allows. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and this is about the whole deployment.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INVALID_WORKING_DIR: The folder the session is to work in is not there, or is not below one that the operator named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description INVALID_QUERY: A query parameter is outside of what the call allows. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description INVALID_WORKING_DIR: The folder the session is to work in is not there, or is not below one that the operator named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description What came of it. */
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
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             *
             *     OPERATOR_ONLY: The token belongs to a tenant, and this is about the whole deployment.
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
            /** @description INVALID_WORKING_DIR: The folder the session is to work in is not there, or is not below one that the operator named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description DELEGATION_REFUSED: The session may not delegate this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
             * @description APPROVAL_NOT_FOUND: The session and those below it have no approval with this id.
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
             * @description APPROVAL_ANSWERED: The approval has been answered already.
             *
             *     APPROVAL_CLOSED: Nobody waits for this approval any more.
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
             * @description BUDGET_SPENT: What the tenant or the token may spend in a day is spent; `resets_at` says when there is more.
             *
             *     RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on.
             *
             *     TOO_MANY_RUNS: As many runs of the session wait in line as may.
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
             * @description MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description What the cookie, or the token, may do. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrowserSession"];
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             * @description MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description They are good no more, and their streams end. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description INVALID_ID: An id in the address is not written as such ids are.
             *
             *     INVALID_QUERY: A query parameter is outside of what the call allows.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
                     * @description Whose it is to be. Tokens of a tenant make tokens of that tenant alone.
                     * @example team-a
                     */
                    tenant?: string;
                };
            };
        };
        responses: {
            /** @description The one answer that has the token itself. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewToken"];
                };
            };
            /**
             * @description MALFORMED_JSON: The body is not JSON, or is nested too deeply.
             *
             *     VALIDATION_FAILED: The body does not have the form this call takes; `errors` says where.
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description INVALID_ID: An id in the address is not written as such ids are. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
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
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
            /** @description INVALID_QUERY: A query parameter is outside of what the call allows. */
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
             *     INSUFFICIENT_SCOPE: The token may not do this; the problem names the scope that is needed.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description RATE_LIMITED: The token sends more requests than it may; `Retry-After` says when to go on. */
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
