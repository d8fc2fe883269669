--
-- PostgreSQL database dump
--


-- Dumped from database version 15.20 (Debian 15.20-0+deb12u1)
-- Dumped by pg_dump version 15.20 (Debian 15.20-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: arc_dbos; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA arc_dbos;


--
-- Name: public; Type: SCHEMA; Schema: -; Owner: -
--



--
-- Name: SCHEMA public; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON SCHEMA public IS 'standard public schema';


--
-- Name: enqueue_workflow(text, text, json[], json, text, text, text, text, bigint, bigint, text, integer, text, text, text, bigint, text); Type: FUNCTION; Schema: arc_dbos; Owner: -
--

CREATE FUNCTION arc_dbos.enqueue_workflow(workflow_name text, queue_name text, positional_args json[] DEFAULT ARRAY[]::json[], named_args json DEFAULT '{}'::json, class_name text DEFAULT NULL::text, config_name text DEFAULT NULL::text, workflow_id text DEFAULT NULL::text, app_version text DEFAULT NULL::text, timeout_ms bigint DEFAULT NULL::bigint, deadline_epoch_ms bigint DEFAULT NULL::bigint, deduplication_id text DEFAULT NULL::text, priority integer DEFAULT NULL::integer, queue_partition_key text DEFAULT NULL::text, authenticated_user text DEFAULT NULL::text, authenticated_roles text DEFAULT NULL::text, delay_until_epoch_ms bigint DEFAULT NULL::bigint, application_name text DEFAULT NULL::text) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    v_workflow_id TEXT;
    v_serialized_inputs TEXT;
    v_owner_xid TEXT;
    v_now BIGINT;
    v_recovery_attempts INT4 := 0;
    v_priority INT4;
    v_status TEXT;
BEGIN

    -- Validate required parameters
    IF workflow_name IS NULL OR workflow_name = '' THEN
        RAISE EXCEPTION 'Workflow name cannot be null or empty';
    END IF;
    IF queue_name IS NULL OR queue_name = '' THEN
        RAISE EXCEPTION 'Queue name cannot be null or empty';
    END IF;
    IF named_args IS NOT NULL AND jsonb_typeof(named_args::jsonb) != 'object' THEN
        RAISE EXCEPTION 'Named args must be a JSON object';
    END IF;
    IF workflow_id IS NOT NULL AND workflow_id = '' THEN
        RAISE EXCEPTION 'Workflow ID cannot be an empty string if provided.';
    END IF;
    IF delay_until_epoch_ms IS NOT NULL AND delay_until_epoch_ms < 0 THEN
        RAISE EXCEPTION 'delay_until_epoch_ms must be >= 0';
    END IF;

    v_workflow_id := COALESCE(workflow_id, gen_random_uuid()::TEXT);
    v_owner_xid := gen_random_uuid()::TEXT;
    v_priority := COALESCE(priority, 0);
    v_serialized_inputs := json_build_object(
        'positionalArgs', positional_args,
        'namedArgs', named_args
    )::TEXT;
    v_now := EXTRACT(epoch FROM now()) * 1000;
    v_status := CASE WHEN delay_until_epoch_ms IS NULL THEN 'ENQUEUED' ELSE 'DELAYED' END;

    INSERT INTO "arc_dbos".workflow_status (
        workflow_uuid, status,
        name, class_name, config_name,
        queue_name, deduplication_id, priority, queue_partition_key,
        application_version,
        created_at, updated_at, recovery_attempts,
        workflow_timeout_ms, workflow_deadline_epoch_ms,
        parent_workflow_id, owner_xid, serialization,
        authenticated_user, authenticated_roles,
        delay_until_epoch_ms, application_name
    ) VALUES (
        v_workflow_id, v_status,
        workflow_name, class_name, config_name,
        queue_name, deduplication_id, v_priority, queue_partition_key,
        app_version,
        v_now, v_now, v_recovery_attempts,
        timeout_ms, deadline_epoch_ms,
        NULL, v_owner_xid, 'portable_json',
        authenticated_user, authenticated_roles,
        delay_until_epoch_ms, application_name
    )
    ON CONFLICT (workflow_uuid)
    DO UPDATE SET
        updated_at = EXCLUDED.updated_at;

    INSERT INTO "arc_dbos".workflow_input (
        workflow_uuid, inputs, retention_timestamp
    ) VALUES (
        v_workflow_id, v_serialized_inputs, v_now
    )
    ON CONFLICT (workflow_uuid) DO NOTHING;

    RETURN v_workflow_id;

EXCEPTION
    WHEN unique_violation THEN
        RAISE EXCEPTION 'DBOS queue duplicated'
            USING DETAIL = format('Workflow %s with queue %s and deduplication ID %s already exists', v_workflow_id, queue_name, deduplication_id),
                ERRCODE = 'unique_violation';
END;
$$;


--
-- Name: send_message(text, json, text, text); Type: FUNCTION; Schema: arc_dbos; Owner: -
--

CREATE FUNCTION arc_dbos.send_message(destination_id text, message json, topic text DEFAULT NULL::text, message_id text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    v_topic TEXT := COALESCE(topic, '__null__topic__');
    v_message_id TEXT := COALESCE(message_id, gen_random_uuid()::TEXT);
BEGIN
    INSERT INTO "arc_dbos".notifications (
        destination_uuid, topic, message, message_uuid, serialization
    ) VALUES (
        destination_id, v_topic, message, v_message_id, 'portable_json'
    )
    ON CONFLICT (message_uuid) DO NOTHING;
EXCEPTION
    WHEN foreign_key_violation THEN
        RAISE EXCEPTION 'DBOS non-existent workflow'
            USING DETAIL = format('Destination workflow %s does not exist', destination_id),
                ERRCODE = 'foreign_key_violation';
END;
$$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: application_versions; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.application_versions (
    version_id text NOT NULL,
    version_name text NOT NULL,
    version_timestamp bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL,
    created_at bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL,
    application_name text
);


--
-- Name: dbos_migrations; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.dbos_migrations (
    version bigint NOT NULL
);


--
-- Name: event_dispatch_kv; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.event_dispatch_kv (
    service_name text NOT NULL,
    workflow_fn_name text NOT NULL,
    key text NOT NULL,
    value text,
    update_seq numeric(38,0),
    update_time numeric(38,15)
);


--
-- Name: notifications; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.notifications (
    message_uuid text DEFAULT gen_random_uuid() NOT NULL,
    destination_uuid text NOT NULL,
    topic text,
    message text NOT NULL,
    created_at_epoch_ms bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL,
    serialization text,
    consumed boolean DEFAULT false NOT NULL,
    consumed_by_function_id integer
);


--
-- Name: operation_outputs; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.operation_outputs (
    workflow_uuid text NOT NULL,
    function_id integer NOT NULL,
    function_name text DEFAULT ''::text NOT NULL,
    output text,
    error text,
    child_workflow_id text,
    started_at_epoch_ms bigint,
    completed_at_epoch_ms bigint,
    serialization text,
    application_name text,
    retention_timestamp bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL
);


--
-- Name: queues; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.queues (
    queue_id text DEFAULT (gen_random_uuid())::text NOT NULL,
    name text NOT NULL,
    concurrency integer,
    worker_concurrency integer,
    rate_limit_max integer,
    rate_limit_period_sec double precision,
    priority_enabled boolean DEFAULT false NOT NULL,
    partition_queue boolean DEFAULT false NOT NULL,
    polling_interval_sec double precision DEFAULT 1.0 NOT NULL,
    created_at bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL,
    updated_at bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL,
    application_name text,
    partition_concurrency integer,
    partition_worker_concurrency integer,
    partition_rate_limit_max integer,
    partition_rate_limit_period_sec double precision
);


--
-- Name: streams; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.streams (
    workflow_uuid text NOT NULL,
    key text NOT NULL,
    value text NOT NULL,
    "offset" integer NOT NULL,
    function_id integer DEFAULT 0 NOT NULL,
    serialization text
);


--
-- Name: workflow_events; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.workflow_events (
    workflow_uuid text NOT NULL,
    key text NOT NULL,
    value text NOT NULL,
    serialization text
);


--
-- Name: workflow_events_history; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.workflow_events_history (
    workflow_uuid text NOT NULL,
    function_id integer NOT NULL,
    key text NOT NULL,
    value text NOT NULL,
    serialization text
);


--
-- Name: workflow_input; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.workflow_input (
    workflow_uuid text NOT NULL,
    inputs text,
    retention_timestamp bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL
);


--
-- Name: workflow_output; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.workflow_output (
    workflow_uuid text NOT NULL,
    output text,
    error text,
    retention_timestamp bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL
);


--
-- Name: workflow_schedules; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.workflow_schedules (
    schedule_id text NOT NULL,
    schedule_name text NOT NULL,
    workflow_name text NOT NULL,
    workflow_class_name text,
    schedule text NOT NULL,
    status text DEFAULT 'ACTIVE'::text NOT NULL,
    context text NOT NULL,
    last_fired_at text,
    automatic_backfill boolean DEFAULT false NOT NULL,
    cron_timezone text,
    queue_name text,
    application_name text
);


--
-- Name: workflow_status; Type: TABLE; Schema: arc_dbos; Owner: -
--

CREATE TABLE arc_dbos.workflow_status (
    workflow_uuid text NOT NULL,
    status text,
    name text,
    authenticated_user text,
    assumed_role text,
    authenticated_roles text,
    request text,
    output text,
    error text,
    executor_id text,
    created_at bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL,
    updated_at bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL,
    application_version text,
    application_id text,
    class_name character varying(255) DEFAULT NULL::character varying,
    config_name character varying(255) DEFAULT NULL::character varying,
    recovery_attempts bigint DEFAULT 0,
    queue_name text,
    workflow_timeout_ms bigint,
    workflow_deadline_epoch_ms bigint,
    inputs text,
    started_at_epoch_ms bigint,
    deduplication_id text,
    priority integer DEFAULT 0 NOT NULL,
    queue_partition_key text,
    forked_from text,
    owner_xid text,
    parent_workflow_id text,
    serialization text,
    delay_until_epoch_ms bigint,
    was_forked_from boolean DEFAULT false NOT NULL,
    rate_limited boolean DEFAULT false NOT NULL,
    completed_at bigint,
    attributes jsonb,
    schedule_name text,
    debounce_deadline_epoch_ms bigint,
    is_debounced boolean DEFAULT false NOT NULL,
    application_name text,
    creator_xid text
);


--
-- Name: arc_approvals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.arc_approvals (
    run_id text NOT NULL,
    key text NOT NULL,
    request text NOT NULL,
    since character varying(32) NOT NULL,
    until character varying(32),
    decision text,
    decided_by text,
    decided_at character varying(32)
);


--
-- Name: arc_run_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.arc_run_events (
    run_id text NOT NULL,
    number bigint NOT NULL,
    before bigint NOT NULL,
    last bigint NOT NULL,
    body bytea NOT NULL
);


--
-- Name: arc_run_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.arc_run_keys (
    key character varying(64) NOT NULL
);


--
-- Name: arc_run_part_uses; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.arc_run_part_uses (
    used_by text NOT NULL,
    digest character varying(64) NOT NULL
);


--
-- Name: arc_run_parts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.arc_run_parts (
    digest character varying(64) NOT NULL,
    text text NOT NULL
);


--
-- Name: arc_run_schema; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.arc_run_schema (
    version integer NOT NULL
);


--
-- Name: arc_run_schema_version_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.arc_run_schema_version_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: arc_run_schema_version_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.arc_run_schema_version_seq OWNED BY public.arc_run_schema.version;


--
-- Name: arc_run_steps; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.arc_run_steps (
    run_id text NOT NULL,
    key text NOT NULL,
    value text NOT NULL,
    at character varying(32) NOT NULL
);


--
-- Name: arc_runs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.arc_runs (
    run_id text NOT NULL,
    layout text NOT NULL,
    state character varying(16) NOT NULL,
    queue text NOT NULL,
    tenant text,
    command text NOT NULL,
    deps text,
    ticket integer NOT NULL,
    carried boolean NOT NULL,
    executor text,
    life text,
    crashes integer NOT NULL,
    cancelling boolean NOT NULL,
    told bigint NOT NULL,
    not_before character varying(32),
    created_at character varying(32) NOT NULL,
    finished_at character varying(32),
    result text
);


--
-- Name: arc_run_schema version; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.arc_run_schema ALTER COLUMN version SET DEFAULT nextval('public.arc_run_schema_version_seq'::regclass);


--
-- Data for Name: application_versions; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--

INSERT INTO arc_dbos.application_versions VALUES ('df943713-479b-4e03-86da-5a89aa485354', 'arc-1', 1795692385393, 1795692385393, 'arc');


--
-- Data for Name: dbos_migrations; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--

INSERT INTO arc_dbos.dbos_migrations VALUES (125);


--
-- Data for Name: event_dispatch_kv; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--



--
-- Data for Name: notifications; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--



--
-- Data for Name: operation_outputs; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--



--
-- Data for Name: queues; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--

INSERT INTO arc_dbos.queues VALUES ('93099552-da9f-4100-a923-9f45b68631e6', 'default', NULL, 1, NULL, NULL, true, false, 0.25, 1795692385431, 1795692385425, 'arc', NULL, NULL, NULL, NULL);


--
-- Data for Name: streams; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--



--
-- Data for Name: workflow_events; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--



--
-- Data for Name: workflow_events_history; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--



--
-- Data for Name: workflow_input; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--

INSERT INTO arc_dbos.workflow_input VALUES ('finished-plain:1', '{"args": ["finished-plain", 1], "kwargs": {}}', 1795692385528);
INSERT INTO arc_dbos.workflow_input VALUES ('finished-parallel:1', '{"args": ["finished-parallel", 1], "kwargs": {}}', 1795692386831);
INSERT INTO arc_dbos.workflow_input VALUES ('finished-delegate:1', '{"args": ["finished-delegate", 1], "kwargs": {}}', 1795692387107);
INSERT INTO arc_dbos.workflow_input VALUES ('failed:1', '{"args": ["failed", 1], "kwargs": {}}', 1795692387446);
INSERT INTO arc_dbos.workflow_input VALUES ('finished-paid:1', '{"args": ["finished-paid", 1], "kwargs": {}}', 1795692387622);
INSERT INTO arc_dbos.workflow_input VALUES ('waiting:1', '{"args": ["waiting", 1], "kwargs": {}}', 1795692387897);
INSERT INTO arc_dbos.workflow_input VALUES ('waiting-below:1', '{"args": ["waiting-below", 1], "kwargs": {}}', 1795692388185);
INSERT INTO arc_dbos.workflow_input VALUES ('denied:1', '{"args": ["denied", 1], "kwargs": {}}', 1795692388449);
INSERT INTO arc_dbos.workflow_input VALUES ('decided:1', '{"args": ["decided", 1], "kwargs": {}}', 1795692388705);
INSERT INTO arc_dbos.workflow_input VALUES ('cancelled:1', '{"args": ["cancelled", 1], "kwargs": {}}', 1795692388985);
INSERT INTO arc_dbos.workflow_input VALUES ('finished-paid:2', '{"args": ["finished-paid", 2], "kwargs": {}}', 1795692389248);
INSERT INTO arc_dbos.workflow_input VALUES ('denied:2', '{"args": ["denied", 2], "kwargs": {}}', 1795692389267);
INSERT INTO arc_dbos.workflow_input VALUES ('running:1', '{"args": ["running", 1], "kwargs": {}}', 1795692389783);
INSERT INTO arc_dbos.workflow_input VALUES ('queued-carried:1', '{"args": ["queued-carried", 1], "kwargs": {}}', 1795692390017);
INSERT INTO arc_dbos.workflow_input VALUES ('queued-delegate:1', '{"args": ["queued-delegate", 1], "kwargs": {}}', 1795692390019);


--
-- Data for Name: workflow_output; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--

INSERT INTO arc_dbos.workflow_output VALUES ('finished-plain:1', 'null', NULL, 1795692386806);
INSERT INTO arc_dbos.workflow_output VALUES ('finished-parallel:1', 'null', NULL, 1795692387073);
INSERT INTO arc_dbos.workflow_output VALUES ('finished-delegate:1', 'null', NULL, 1795692387420);
INSERT INTO arc_dbos.workflow_output VALUES ('failed:1', 'null', NULL, 1795692387607);
INSERT INTO arc_dbos.workflow_output VALUES ('finished-paid:1', 'null', NULL, 1795692387889);
INSERT INTO arc_dbos.workflow_output VALUES ('waiting:1', 'null', NULL, 1795692388154);
INSERT INTO arc_dbos.workflow_output VALUES ('waiting-below:1', 'null', NULL, 1795692388436);
INSERT INTO arc_dbos.workflow_output VALUES ('denied:1', 'null', NULL, 1795692388689);
INSERT INTO arc_dbos.workflow_output VALUES ('decided:1', 'null', NULL, 1795692388972);
INSERT INTO arc_dbos.workflow_output VALUES ('cancelled:1', 'null', NULL, 1795692389215);
INSERT INTO arc_dbos.workflow_output VALUES ('finished-paid:2', 'null', NULL, 1795692389491);
INSERT INTO arc_dbos.workflow_output VALUES ('denied:2', 'null', NULL, 1795692389763);


--
-- Data for Name: workflow_schedules; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--



--
-- Data for Name: workflow_status; Type: TABLE DATA; Schema: arc_dbos; Owner: -
--

INSERT INTO arc_dbos.workflow_status VALUES ('finished-plain:1', 'SUCCESS', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'vm-12016-7c9e3256', 1795692385528, 1795692386806, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795692386715, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, 1795692386806, 'null', NULL, NULL, false, 'arc', 'b31026ca-3915-402b-997e-c091141f9016');
INSERT INTO arc_dbos.workflow_status VALUES ('finished-parallel:1', 'SUCCESS', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'vm-12016-7c9e3256', 1795692386831, 1795692387073, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795692386993, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, 1795692387073, 'null', NULL, NULL, false, 'arc', '3d85452a-92d1-4ba4-aa23-2d66151c6a4c');
INSERT INTO arc_dbos.workflow_status VALUES ('finished-delegate:1', 'SUCCESS', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'vm-12016-7c9e3256', 1795692387107, 1795692387420, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795692387279, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, 1795692387420, 'null', NULL, NULL, false, 'arc', '9ff93a9b-a626-4e38-b53a-828526ba3a65');
INSERT INTO arc_dbos.workflow_status VALUES ('failed:1', 'SUCCESS', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'vm-12016-7c9e3256', 1795692387446, 1795692387607, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795692387550, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, 1795692387607, 'null', NULL, NULL, false, 'arc', 'db7a1fe6-c422-4d27-aa93-19e1f52151b9');
INSERT INTO arc_dbos.workflow_status VALUES ('finished-paid:1', 'SUCCESS', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'vm-12016-7c9e3256', 1795692387622, 1795692387889, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795692387836, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, 1795692387889, 'null', NULL, NULL, false, 'arc', '74b78241-b1d0-423e-b939-39f2cec620a0');
INSERT INTO arc_dbos.workflow_status VALUES ('waiting:1', 'SUCCESS', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'vm-12016-7c9e3256', 1795692387897, 1795692388154, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795692388102, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, 1795692388154, 'null', NULL, NULL, false, 'arc', 'a2ab0a28-a420-4cb5-ad0b-da65437661e1');
INSERT INTO arc_dbos.workflow_status VALUES ('waiting-below:1', 'SUCCESS', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'vm-12016-7c9e3256', 1795692388185, 1795692388436, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795692388361, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, 1795692388436, 'null', NULL, NULL, false, 'arc', '5469ff3e-8f88-4ffd-be2d-2013a2bc1bc3');
INSERT INTO arc_dbos.workflow_status VALUES ('denied:1', 'SUCCESS', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'vm-12016-7c9e3256', 1795692388449, 1795692388689, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795692388627, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, 1795692388689, 'null', NULL, NULL, false, 'arc', '972efa2e-fe4b-41b8-8db4-af54dc56f1ad');
INSERT INTO arc_dbos.workflow_status VALUES ('decided:1', 'SUCCESS', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'vm-12016-7c9e3256', 1795692388705, 1795692388972, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795692388899, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, 1795692388972, 'null', NULL, NULL, false, 'arc', 'ca551e76-abc1-42d3-9f85-63a48e8561e5');
INSERT INTO arc_dbos.workflow_status VALUES ('cancelled:1', 'SUCCESS', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'vm-12016-7c9e3256', 1795692388985, 1795692389215, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795692389175, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, 1795692389215, 'null', NULL, NULL, false, 'arc', '16d8c17b-88c4-45ba-a345-f79bc6f91371');
INSERT INTO arc_dbos.workflow_status VALUES ('finished-paid:2', 'SUCCESS', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'vm-12016-7c9e3256', 1795692389248, 1795692389491, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795692389442, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, 1795692389491, 'null', NULL, NULL, false, 'arc', 'b150d989-4588-4d08-96fe-7577f0edddd5');
INSERT INTO arc_dbos.workflow_status VALUES ('denied:2', 'SUCCESS', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'vm-12016-7c9e3256', 1795692389267, 1795692389763, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795692389718, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, 1795692389763, 'null', NULL, NULL, false, 'arc', '8a8f2465-0975-43ca-8dce-fd41d27b51c6');
INSERT INTO arc_dbos.workflow_status VALUES ('running:1', 'PENDING', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'vm-12016-7c9e3256', 1795692389783, 1795692389970, 'arc-1', '', NULL, NULL, 1, 'default', NULL, NULL, NULL, 1795692389970, NULL, 0, '-', NULL, '6a5bfdd6-c346-4fcc-a8a0-8a57cf65335c', NULL, 'arc_json', NULL, false, false, NULL, 'null', NULL, NULL, false, 'arc', '61ff371f-dec5-42a7-be94-cda8c61bf56d');
INSERT INTO arc_dbos.workflow_status VALUES ('queued-carried:1', 'ENQUEUED', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'vm-12016-7c9e3256', 1795692390017, 1795692390017, 'arc-1', '', NULL, NULL, 0, 'default', NULL, NULL, NULL, NULL, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, NULL, 'null', NULL, NULL, false, 'arc', '65d0b585-ed20-4c9f-80bc-71611b9044e7');
INSERT INTO arc_dbos.workflow_status VALUES ('queued-delegate:1', 'ENQUEUED', 'arc_run', NULL, NULL, NULL, NULL, NULL, NULL, 'vm-12016-7c9e3256', 1795692390019, 1795692390019, 'arc-1', '', NULL, NULL, 0, 'default', NULL, NULL, NULL, NULL, NULL, 0, '-', NULL, NULL, NULL, 'arc_json', NULL, false, false, NULL, 'null', NULL, NULL, false, 'arc', '310e8963-12cf-40c9-a263-6cbd1d7db292');


--
-- Data for Name: arc_approvals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.arc_approvals VALUES ('waiting', 'approve/1', '{"v":1,"type":"approval_request","run_id":"waiting","key":"approve/1","tool":"pay","arguments":{"item":"pay"},"agent":"clerk","user_id":"ann","since":"2026-11-26T11:26:28.132174+00:00","arguments_hash":"c7185971233de79053bbdbf584387e3abf6fbe04bb6e4243e0c4d158a0554c7b","is_checked":true}', '2026-11-26T11:26:28.132174Z', NULL, NULL, NULL, NULL);
INSERT INTO public.arc_approvals VALUES ('waiting-below', 'tool/0/approve/0', '{"v":1,"type":"approval_request","run_id":"waiting-below","key":"tool/0/approve/0","tool":"pay","arguments":{"item":"buyer pays"},"agent":"buyer","user_id":"ann","since":"2026-11-26T11:26:28.411057+00:00","arguments_hash":"b56fc64eedf639ad77d57cd13aa2c0e11211db427635bd9cfbeaefaa3d3c3cec","is_checked":true}', '2026-11-26T11:26:28.411057Z', NULL, NULL, NULL, NULL);
INSERT INTO public.arc_approvals VALUES ('cancelled', 'approve/1', '{"v":1,"type":"approval_request","run_id":"cancelled","key":"approve/1","tool":"pay","arguments":{"item":"pay"},"agent":"clerk","user_id":"ann","since":"2026-11-26T11:26:29.198499+00:00","arguments_hash":"c7185971233de79053bbdbf584387e3abf6fbe04bb6e4243e0c4d158a0554c7b","is_checked":true}', '2026-11-26T11:26:29.198499Z', NULL, NULL, NULL, NULL);
INSERT INTO public.arc_approvals VALUES ('finished-paid', 'approve/1', '{"v":1,"type":"approval_request","run_id":"finished-paid","key":"approve/1","tool":"pay","arguments":{"item":"pay"},"agent":"clerk","user_id":"ann","since":"2026-11-26T11:26:27.867483+00:00","arguments_hash":"c7185971233de79053bbdbf584387e3abf6fbe04bb6e4243e0c4d158a0554c7b","is_checked":true}', '2026-11-26T11:26:27.867483Z', NULL, '{"v":1,"type":"decision","answer":{"type":"approve"},"by":"carol","at":"2026-11-26T11:26:29.233958+00:00","arguments_hash":"c7185971233de79053bbdbf584387e3abf6fbe04bb6e4243e0c4d158a0554c7b"}', 'carol', '2026-11-26T11:26:29.233958Z');
INSERT INTO public.arc_approvals VALUES ('denied', 'approve/1', '{"v":1,"type":"approval_request","run_id":"denied","key":"approve/1","tool":"pay","arguments":{"item":"pay"},"agent":"clerk","user_id":"ann","since":"2026-11-26T11:26:28.671945+00:00","arguments_hash":"c7185971233de79053bbdbf584387e3abf6fbe04bb6e4243e0c4d158a0554c7b","is_checked":true}', '2026-11-26T11:26:28.671945Z', NULL, '{"v":1,"type":"decision","answer":{"type":"deny","reason":"no"},"by":"carol","at":"2026-11-26T11:26:29.247339+00:00","arguments_hash":"c7185971233de79053bbdbf584387e3abf6fbe04bb6e4243e0c4d158a0554c7b"}', 'carol', '2026-11-26T11:26:29.247339Z');
INSERT INTO public.arc_approvals VALUES ('decided', 'approve/1', '{"v":1,"type":"approval_request","run_id":"decided","key":"approve/1","tool":"pay","arguments":{"item":"pay"},"agent":"clerk","user_id":"ann","since":"2026-11-26T11:26:28.955469+00:00","arguments_hash":"c7185971233de79053bbdbf584387e3abf6fbe04bb6e4243e0c4d158a0554c7b","is_checked":true}', '2026-11-26T11:26:28.955469Z', NULL, '{"v":1,"type":"decision","answer":{"type":"approve"},"by":"carol","at":"2026-11-26T11:26:32.301879+00:00","arguments_hash":"c7185971233de79053bbdbf584387e3abf6fbe04bb6e4243e0c4d158a0554c7b"}', 'carol', '2026-11-26T11:26:32.301879Z');


--
-- Data for Name: arc_run_events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.arc_run_events VALUES ('finished-plain', 1, 0, 1, '\x789c8bae562a53b232d4512aa92c4855b2524a4c4fcd2b892f2e492c2a494d51d281f081e2c939a945d9407e51695e7c660a50202d332fb338233545b7202731330f28539c5a0834a83616005cf21b17');
INSERT INTO public.arc_run_events VALUES ('finished-plain', 2, 1, 2, '\x789c8b8e564acbcccb2cce484dd12dc849cccc53d231d28956ca48cdc9c9d7538a8d8d0500c1860b08');
INSERT INTO public.arc_run_events VALUES ('finished-plain', 3, 2, 3, '\x789c358b4b0a80201445f77269688368f6b62212922f12c4cc1f84b4f7a4687a3eb2a18226817c05062116bf6cd6dbb4b38140e4545c06350c91d7239a4e49e22bbaafda1586bac53bda2ef1df6370dafade243e41f3ad1e87c223d9');
INSERT INTO public.arc_run_events VALUES ('finished-parallel', 1, 0, 1, '\x789c8bae562a53b232d4512aa92c4855b2524a4c4fcd2b892f2e492c2a494d51d281f081e2c939a945d9407e51695e7c660a50202d332fb338233545b720b128312727350728599c5a0834ab361600b4ad1c50');
INSERT INTO public.arc_run_events VALUES ('finished-parallel', 2, 1, 5, '\x789cad90cd6ac33010845fa52c3d3aad2c39b5ad57898311d1b61595a5543f8162fcee5905420ea1c5a5bd694733bb1fb39be104b2ae207d1d112424efed7850d68e31a990504305650439df59e8cb6812ca7bc368726a2a8657e34a4c85b73ca14b91a4790093701a403e0c7054811268075860a92064375ef650cec477d49bab819644fc04c997ea5bcc6b88bc0163b6a9903e063cf8a04995bb8bf7b9e09d94cd78f3ede9b6ce4125e3dd3811257baa9968bb8631c6196f3917dd1a3af103dd2f4bac6f255aef3ffeb5c4e6ef25d6ab4a645bde08def77d275aeaf3a55943b75df667790ed39d');
INSERT INTO public.arc_run_events VALUES ('finished-parallel', 3, 5, 6, '\x789ced92310a80300c00bf1232d7d5419f523a149ada6248a4adf87d1d2c7e41d0e9386e3d6b3166c9355118365f3c33319ad158ec3641d45d0274872cd012416d5ac880de9688e39fbe9ee66713565d2b2caa01fcb58fd0f15aa273ee046f380d93');
INSERT INTO public.arc_run_events VALUES ('finished-parallel', 4, 6, 7, '\x789c358b4d0a80201046eff2d1d216ad82b94a48484e240c56630a11dd3d29dabe9fe142017506c7b931089ae3388718d2c21e06ca29cb01bad0284fabfa4a69c057545f9c6486bdcd3b862af1dfede6d489b0d42cf10eea6ffb00f9c92516');
INSERT INTO public.arc_run_events VALUES ('finished-delegate', 1, 0, 1, '\x789c8bae562a53b232d4512aa92c4855b2524a4c4fcd2b892f2e492c2a494d51d281f081e2c939a945d9407e51695e7c660a50202d332fb33823354537253527353db1241528599c5a0834ab361600b3751c3e');
INSERT INTO public.arc_run_events VALUES ('finished-delegate', 2, 1, 4, '\x789cad91d16e83300c457fa5b2f6085b609400bf522a6488cb5003b449a85421fe7d86897512d2d687e529bebeb93e490e23dc200b3c70f70b4106aeef7551a1d68575681c29f0602e211b37166e358a8579ef0bae3a6c6703da73510e77322ca1a987963a67591f7370dccb21dbe5b01876a7a653368709260fccd0154b1e8b8dfd20e52bd254a323ceb174852c9cbcffc20d1eb8baefcf5bd2c651fb45ba523c8df9fe0be67a88bd86eca0dd4cfa62a8ea8d62353b2cdeb719ef867aa087efc8b3d560d0357d57b44c295e45124b91f29252c6b18cd367e8a20d1dd67ced1f0fb8d4acaf7ff89d49e91eab8a023f940afdbd08858f5152fa65c872549ef65226ecbfa09903ff4609a6e327e5cdd01f');
INSERT INTO public.arc_run_events VALUES ('finished-delegate', 3, 4, 4, '\x789c9d8fcb6e833010457f251a75899b098400fe9510218327ad25635a3f2245887fef982ebaa8bae9ca9e3bc757c7d7151e204f05c4e7078184b82c769894b54388ca47d250401e41aebf105e19cd41be0be4c9a9390377e3f233e5dfd24c2e068ed61e4ca4b90779e8614c4ff2874c851e36d80af0c90d7b1575b59a263a89b2d14ad458a250e7761463c9f179bcd74dd37275a04f90e556fc29cfe526bceff69e42b231fbbf789a16af3995d79d3de2f1fb60eca16ca21ffcc6563a7915cde28699bf80af78e99aee828855db6155fdd3bada6e5f21ad736c');
INSERT INTO public.arc_run_events VALUES ('finished-delegate', 4, 4, 4, '\x789cedc94b0a80201440d1ad3c1c2b94285a5b11077e9e288442daa0ddd7a0417ba8e13dd718828b7421e0ccb88a8ec9894fcc09ed99e7370b9fa4529a50410df1c7893ba452635f21b5a3467811940a2323f4d176a4d09ecab8a57f7d7d116bed056c89d437');
INSERT INTO public.arc_run_events VALUES ('finished-delegate', 5, 4, 4, '\x789c25cbed0a83201886e17379d84f2593c4e6a9440c3fde9820b59906233af7c9f6f7e6baa713074ccf503e2f8241aeeb63896bdc9f14c09069afa9c09cb865f25b0ead9a0965db5227ba3f6cecb0a912e68bfdfed80ce8aeacf7d473a983e54a48c1ed303aee64cb835b94d6633b777ac3a86bfe02d31d2a96');
INSERT INTO public.arc_run_events VALUES ('finished-delegate', 6, 4, 5, '\x789c458d5b0ac2301444f732f8191fb1adda6ca594109aab06ae4dcda320a57b370ae27cce1cce740b662829905e13412179cf7a30ccfaea4617ef64211028664e500b3681061f6c6955f765f787b2cf8633fdb97e15b03998e4fca81f11aabaec8ea75acab6a4aedae65cd03c6a572cf8dd6c2d31dd4cfa78223da19ab57f03f14232e7');
INSERT INTO public.arc_run_events VALUES ('finished-delegate', 7, 5, 6, '\x789ced92310ac3301443af223c3b6b07f728c643c2976313e30fb14de9ed9ba1811c21d04ee2e96994f726e69a5ba24cc2c275ee34f661bd39c961196fee3866d21ca28e2ad70ab9a227a275dd69a15f4a2cf1af7e5d3d71de0845756b585505f3f1a0cad76dd384103ea02b1320');
INSERT INTO public.arc_run_events VALUES ('finished-delegate', 8, 6, 7, '\x789c358b390a80301444ef3258c6c24af857119160460d04976c20e2dd0d8aed5bba0b19d228c47327043eadc364571b161a287886e422e442e5396ede142a1dbea2f8ac5d22fa5bbda32d12ff5d1b3ace3ab2648107a4bdfb07f8912504');
INSERT INTO public.arc_run_events VALUES ('failed', 1, 0, 1, '\x789c8bae562a53b232d4512aa92c4855b2524a4c4fcd2b892f2e492c2a494d51d281f081e2c939a945d9407e51695e7c660a50202d313307aca238b51068406d2c00855117f1');
INSERT INTO public.arc_run_events VALUES ('failed', 2, 1, 2, '\x789c258b4b0a80201445f77269e8a4866f2b2221f92441acfc41887b4f6c7a3eb2a1825681fcde0c422c61b72eb874b28140e4547c06352c918f2b9a4149e22f86afda1786ea628e6e4858edfc7c133fa0adab0f6a1e20b2');
INSERT INTO public.arc_run_events VALUES ('finished-paid', 1, 0, 1, '\x789c8bae562a53b232d4512aa92c4855b2524a4c4fcd2b892f2e492c2a494d51d281f081e2c939a945d9407e51695e7c660a50202d332fb338233545b7203113a4b038b510684e6d2c003fd31aa1');
INSERT INTO public.arc_run_events VALUES ('finished-paid', 2, 1, 4, '\x789c8552c96e833014fc95caeaadd07863f377f4162264e01150c010db448a10ff5e3b4ddbb4519b9b3d9ef1cc5bb60b3a21410264cf132081ec38f64525fbbe30566a0b350a90bf22b1dc51dc53573bc09f43ec6e4a0e9ed074cacba4decf03286b1cb4e4a8b330e4483ce56892e71cad680d909e5571f9c2493ad3421d4eb2f35a034724e81afc99ee53e0b81accdc5b1ff0594335eadaa1627be16e7caa93ec67f8e6ed9c6f3d6b69bb5115830b875f71ca18e35996459cc79853fa2819bb4b26a7498fcea9d0709cc1d86bb2cbf9a677bf69e81fa7039cbf14b0210ef12539c8f5ef677b974b73af2fae3cb977b81f4c0ffae0a8b301fde12195f23574aaf26928a671484848e33742048d054d5ed338e1297bc158607ceb52b4d2b4fecf84a4519610ca580d498623569675d944296769024c964ddc94807959c6c02967802b5e932895388a7895947e694c51b5501dfc9cac9ee1e122f075f70ea572d781');
INSERT INTO public.arc_run_events VALUES ('waiting', 1, 0, 1, '\x789c8bae562a53b232d4512aa92c4855b2524a4c4fcd2b892f2e492c2a494d51d281f081e2c939a945d9407e51695e7c660a50a03c31b324332f1d28549c5a0834a1361600a15a187f');
INSERT INTO public.arc_run_events VALUES ('waiting', 2, 1, 4, '\x789c7d92db6ec3200c865f6542bb5b0f869043798edd35554412b7414d490aa45315e5dd0759b575ebb63bfcf3dbfeb0d98ee442045d1077ed9108e2baae2d2ad9b68575d238acc982849088f1c1e2af54ed85705e828fb43c05c35ee99026cd6138a176d64b634e94c3534ec4534e7a79cdc944a60531832ee6126f5239a50f3ecbe29908362dfee4f2d5956d66308376685d407b365875a6f6aad8cede75e0b9c876c02fdfce77ac07239dea7471f258b0820da49b0c0018509ac63cf99b297a60927d6f3adfa330781ed0ba1bd37cbe9bd74f1bf9b5c711af9f5e5c53af846778c94febfb30c77994b71bff2479f07a58438be6e8ad8345f3515d6a1de895ae020703962c295db2e49552c112c1b2158d184df90b8000b8ef5234d236a1664ab3789352164535a61b88a3b2accb7d9cf1284b3192e53ed99708bc2c13e48c470815af699c4988635ea565f822b6a81aac8e6137ce0cf8cfdaf9b47b076a54ced8');
INSERT INTO public.arc_run_events VALUES ('waiting-below', 1, 0, 1, '\x789c8bae562a53b232d4512aa92c4855b2524a4c4fcd2b892f2e492c2a494d51d281f081e2c939a945d9407e51695e7c660a50a03c31b324332f5d37293527bf1c28519c5a0834a736160041ca1ac5');
INSERT INTO public.arc_run_events VALUES ('waiting-below', 2, 1, 4, '\x789cad91c16ec23010447f05ad7a4cda98246d925f21285af0925a3836d80e08a1fc7bd7a95a2a21d11eea936776347eb65757384123120897034103c15add6d51ebce0774812424102534d7bb088f946423eed38c95c12106d0efbbcd7821c716ba7e1cc804cffeb585c0b3169a450b736071c08b6f61822901379a6eae3ba30acaf4e986b43d7385a72334cb29f92f527123d5d6eeef2155a0e1135292a61e032dd0c8c8fa27d4fc01ea4e19e5df6756477ed421d23e39da5a27d96d5673f625229e508f74cbadf95c393a0cca9a6e60d2ec39abf3accc6b5e555de779f51b587107863ddffac7fbcd9afdafdffbee7b13a2a8aa8a5251bf8ab4a4a24c2b299125d545290a5aee769c3fa08b858f31c4b4fe001159cb63');
INSERT INTO public.arc_run_events VALUES ('waiting-below', 3, 4, 4, '\x789c7590d16e83300c457f65caebca1a872440be636fd3844c625a540a948456a8eabfcfa89bd497bde5fa5cfb3afeba8bab70b013699d483881d3348f57eceb992e0bc54441ecc4ef5bb8fb7fb6cdb40c751798ddb04bdd70c81aeac71b8313ad5c4de3d8efe5fed9487bc9602b3199706581f36139d390e296d2253a33699695e637e6513cd87160fc57e58e25d2fc4cc461601dbbc16fbb29a96c069029fb09e09475aafcd000d214ef523a295fc3ea23c6e336d3d8d65b4d145a9b57188a2298c207c811959704a00042a3556173d384cab70d21b58879c87deec9f3cc2ed6fe48fec41773695ee8f1729202409765491954163243da646508c8922a6d40936adbed0774114e3dbe7f0088237e3d');
INSERT INTO public.arc_run_events VALUES ('denied', 1, 0, 1, '\x789c8bae562a53b232d4512aa92c4855b2524a4c4fcd2b892f2e492c2a494d51d281f081e2c939a945d9407e51695e7c660a502025352f13aca238b51068406d2c00859017f5');
INSERT INTO public.arc_run_events VALUES ('denied', 2, 1, 4, '\x789c7592df6e832014c65f6521bb9b5d011195e7d85d6d0cea693555b4fc69d218df7de09aad5b57afe0e3f37c3fce6137a30b122442f63a0112c88e635fd6b2ef4b63a5b6d0a008852d12f383c51f758d17c27a83fd4ec921180e9d0abf497d7403286bbc3417a8b3301448bc146892d7022d68899076aa5c4b34a0ba35cbc01909ba444fb17cf1ceb4ab578371bd0d64af1aea51375e15bbd5bb0d3817d93bf8f1ed7d60e3b4b4dda8cac153e1779c73c270f8728e13cec953a4f801494e931e7d44a9e1ecc0d81bd2babeebd65f1bfa2fe204d76f2b6c8957c225bce45bf5bb93f3dac7db89bf903c7a3dcca0077df25667407f15974a05f84ed5018362ca37846c28ff2044502e68f6ce5392b3e40d6381f17d4ad94ad3869a29c9923c25348e1b48739cc455d5548724637196422cab033f54805955716094c5806bd69024933849589d56e17d98b26ea13e85c958ede0f9ccd9b2ff042312ccb8');
INSERT INTO public.arc_run_events VALUES ('decided', 1, 0, 1, '\x789c8bae562a53b232d4512aa92c4855b2524a4c4fcd2b892f2e492c2a494d51d281f081e2c939a945d9407e51695e7c660a50202535393305aca438b51068426d2c009e64184e');
INSERT INTO public.arc_run_events VALUES ('decided', 2, 1, 4, '\x789c7d52d96ec32010fc950af5ad4e02f8c27c47dfe2c8c2661d5bf1158e4891e57f2fb8519b364dc50b0cc3ccec2efb195d10270132d7091047661cbba2125d57682394018902e48f88cf0f1477d54a07f8fd06bbd3207a4fa8dbc13f13ea687b188c76d09ca3d6409f23fe92a3495c73b4a02540ca0ec52a21a16ae56aa6e18c385d82a7b99c7aab9b95ab40dbcef868af0aaa517905be5fb93b9fe7223a0bdfbc8373945609d38e43d1bb58788b5916ba9565314b13ca70f23c53f890494c931a9d47a1e06c419b5ba6757fd7afdf34f4a7c709ae5f5cd81187f8321ce4baf5b399f3dacadb8d2b491c1deec7d0813a39aad5a03ed5c530f8f4ed50f91c14d36443c88626ef84709a70cab6591c4749f68631c7f8dea568846ebc664a589ca58486a18434c3715896b2ac6316852c85509475529780a3b24c20a25108b88a248999c04eb84a4bff45745135509dfc6c8cb2f0cfd8a3e5f001d51dce52');
INSERT INTO public.arc_run_events VALUES ('cancelled', 1, 0, 1, '\x789c8bae562a53b232d4512aa92c4855b2524a4c4fcd2b892f2e492c2a494d51d281f081e2c939a945d9407e51695e7c660a4820312f39352707aca838b51068466d2c00d37a1927');
INSERT INTO public.arc_run_events VALUES ('cancelled', 2, 1, 4, '\x789c7d52cb6e833010fc95caeaad24b1314f7f476f2142362c0185576c132942fc7bd7346ad346c9cd3b3b9e995d7b3f930b11cc23f63a0211c40e439b17b26d7363a5b650128fb89288f98182ada644c09d3714ab5e768e5035bdbb26f571eaa0b706a139238d852e23e22d23a3bc6664218b47f4d4e73789be80b65ded0c9c89f017ef6932d46f4cbd723598a9b52edcbb8662d025a262bf72772ed145b613fcf20ee8594e5ada66e8f30e83d12d8dd3348c28a57ec4398f69f82a157f4825c7510fe8926b384f60ec2dd57abedbd97f1a79e27282eb0f1b760c11370a42b8b3bf2b9dd785de3a38963c22eed45ad027a44e06f4b7beec7b97bf4117ac7c1c74c3d8c68f3e19137e24fc74cbd22448d30f4a05a5f72e792d4ded3463968469cc7cce4b88531a72a54a558549c09318b854555429a0815211047ec0811641c9c244d2300c8a58b98f62f2a286e2e4dec7ea095e3e7eb01cbe002f54d195');
INSERT INTO public.arc_run_events VALUES ('cancelled', 3, 4, 5, '\x789c258b4b0a80201445f77269e8a44193b71591107d912056fe20c4bd27363d1fd95041ab407e6f062196b01f2eb874b28540e4547c06352c91cd15eda024f117c357ed0b4375314737248c0e86bd9f7be207b475f501d29021eb');
INSERT INTO public.arc_run_events VALUES ('finished-paid', 3, 4, 6, '\x789c858f4b0e82301086af42668d868262e855ac691a5ab509b4d80e26867077a7a81b8dbaebff98ce37fb09aec0590e781b0c7040ef3bd9aaae93115540a3218724814f1f158aac2623bd578c94537d2a0cea464285d3d81b87919c498045d30be09948b18019e61cc2e8e4f2c3d13a1bcf46af0665d3c6682ec0b773fe15ee3540dd60e2d8e13bdfd37dc0cb1f98ad7748948bb63a3bfa90a580e8f418145aef644f27146b566caa6dd5344d5db11d2b4bf68fbf9e0f77364d70da');
INSERT INTO public.arc_run_events VALUES ('finished-paid', 4, 6, 7, '\x789c8b8e564acbcccb2cce484dd12d48cc4c51d231d789562a48acb45248cb2fcd4b5100321532f3144a3252158a4bf28b527514f2a1bc8cd49cb451a9912e65ad004a36c0c452044a2a4ab1b1b100c885cdfd');
INSERT INTO public.arc_run_events VALUES ('finished-paid', 5, 7, 8, '\x789c358ccb0a80201405ffe5d0d216ede2fe8a4848de4808335f10d2bf6745db3367465614d020904ecf2084eca6c53a1b573610081cf39640155de0790fa6ad24f13d1a2f7acb0c758957b40de2b77bafed93887c80c64bdd61f22368');
INSERT INTO public.arc_run_events VALUES ('denied', 3, 4, 6, '\x789c758ecb0ec22010457fc54c5ca2b60b5df02ba521a48c4ac2a3c2d0a469faef021b17a6bbb9774e66ceb0c102bc6740eb8cc08142b07252d6ca442a126a605023f0ed0f292ba34b51e74b5f9257ae02b35a4b50f1951d7a4aa5d904184227809f445d0bd8616710b397ed82466fdaab841fe0f79d1d5a3d8d37e9ddd888295baa62e7885388bab47c68ecadda2cca66fc716379a87354648297ae5875d7ee50e1b18f5fad975bbf');
INSERT INTO public.arc_run_events VALUES ('denied', 4, 6, 7, '\x789cedd2b10a80201485e15739b8b4b80736f7066de220794541bca146f4f649f516b59dc3b7fe5a0b4739921372945a6cf654f0bc67873e11335a20d4c68524f87d8192ffe9eb34612e858bc21262c56a5302fbdb1b73c2d0fb1970d88aa72f85ccc2187301e9e1d7b1');
INSERT INTO public.arc_run_events VALUES ('denied', 5, 7, 8, '\x789c258b4b0a80201086eff2d3d24dbb98ab8844e4440362e50b42bc7b62dbefa12b0a685648efcd2084ecd743bcc4932d1402c7ec12a8620abc5fc1764a1a7fd17dd95c6698a6c6285dc2b297f1467e404b331f6a6f20bc');
INSERT INTO public.arc_run_events VALUES ('running', 2, 1, 4, '\x789ca590dd0ac2300c855f458297533b3b15fb2adb2865adb3d075da9f818cbdbbe96e762113c4bbe4e424f938e50803b03c83f07a286010fadef04618c37d102e280919a416d8f861c1919628a47a47b0b3a24b869bb6694db83676ca068fd258810eaaab806d2a90baad60822903172d9f4f6061b56d71cbab27b0e394ad72e175edef3398533e9a90d0b64e35bd93a8b272f61e12cf204c548bafc68f323a11746f798758644fce279a9f0921c585e68416d77526fa85e9c7acf2252bcce2bfa88aa97e03dd4d90df');
INSERT INTO public.arc_run_events VALUES ('running', 1, 0, 1, '\x789c8bae562a53b232d4512aa92c4855b2524a4c4fcd2b892f2e492c2a494d51d281f081e2c939a945d9407e51695e7c660a5000c8c8cbcc4b070a15a716024da88d0500a24a188d');


--
-- Data for Name: arc_run_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.arc_run_keys VALUES ('87a4c75688d69b63889e0073cd417cf387c0c9af9ec3fedaef495eb715343e72');


--
-- Data for Name: arc_run_part_uses; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.arc_run_part_uses VALUES ('finished-plain', '2f493c1bd525fc573fe669f3c8151cd89cbf0c593c956422fd3408aa3da3f513');
INSERT INTO public.arc_run_part_uses VALUES ('3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6', '0e7d04d4871df7163fef7b8e2e0d301aca1e1f4f9003635d8d8f563322a0ee7a');
INSERT INTO public.arc_run_part_uses VALUES ('3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6', '8769c82c6c37efa779ff9b7d06ba3e32e18f21b06e55ad556c68c1231105037b');
INSERT INTO public.arc_run_part_uses VALUES ('3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6', 'b559123a74884864fe6801dbd8b9058cb32be0ddebfa0c12ac0d7a32d1d0d69a');
INSERT INTO public.arc_run_part_uses VALUES ('3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6', 'dd653a69fe3249963688456160944bbbe623f3bf70b09aa4d1d0584034531afe');
INSERT INTO public.arc_run_part_uses VALUES ('3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6', 'f34de30665ef17e726b7d473a847febd0b671794335f4b16bc479a5e470bd7d8');
INSERT INTO public.arc_run_part_uses VALUES ('finished-plain', '3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6');
INSERT INTO public.arc_run_part_uses VALUES ('finished-plain', 'cd163cc935e5c0dafdd69b4a59a3b84164fbc9998e1489364bfeb59f0514a89b');
INSERT INTO public.arc_run_part_uses VALUES ('finished-plain', 'df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b');
INSERT INTO public.arc_run_part_uses VALUES ('finished-parallel', '2f493c1bd525fc573fe669f3c8151cd89cbf0c593c956422fd3408aa3da3f513');
INSERT INTO public.arc_run_part_uses VALUES ('finished-parallel', '3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6');
INSERT INTO public.arc_run_part_uses VALUES ('finished-parallel', 'cd163cc935e5c0dafdd69b4a59a3b84164fbc9998e1489364bfeb59f0514a89b');
INSERT INTO public.arc_run_part_uses VALUES ('finished-parallel', 'df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b');
INSERT INTO public.arc_run_part_uses VALUES ('finished-delegate', '2f493c1bd525fc573fe669f3c8151cd89cbf0c593c956422fd3408aa3da3f513');
INSERT INTO public.arc_run_part_uses VALUES ('finished-delegate', '3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6');
INSERT INTO public.arc_run_part_uses VALUES ('finished-delegate', 'cd163cc935e5c0dafdd69b4a59a3b84164fbc9998e1489364bfeb59f0514a89b');
INSERT INTO public.arc_run_part_uses VALUES ('finished-delegate', 'df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b');
INSERT INTO public.arc_run_part_uses VALUES ('8ed1e89b65729d352eebb4ea3db1f726986a46dff5dfe0a56df2468c2944a4a5', '8769c82c6c37efa779ff9b7d06ba3e32e18f21b06e55ad556c68c1231105037b');
INSERT INTO public.arc_run_part_uses VALUES ('8ed1e89b65729d352eebb4ea3db1f726986a46dff5dfe0a56df2468c2944a4a5', 'b559123a74884864fe6801dbd8b9058cb32be0ddebfa0c12ac0d7a32d1d0d69a');
INSERT INTO public.arc_run_part_uses VALUES ('8ed1e89b65729d352eebb4ea3db1f726986a46dff5dfe0a56df2468c2944a4a5', 'f34de30665ef17e726b7d473a847febd0b671794335f4b16bc479a5e470bd7d8');
INSERT INTO public.arc_run_part_uses VALUES ('finished-delegate', '8ed1e89b65729d352eebb4ea3db1f726986a46dff5dfe0a56df2468c2944a4a5');
INSERT INTO public.arc_run_part_uses VALUES ('finished-delegate', 'e32deedc8457e1de1553526e45b622ed1b65f4b368f63750bdb67f2bd8153092');
INSERT INTO public.arc_run_part_uses VALUES ('failed', '2f493c1bd525fc573fe669f3c8151cd89cbf0c593c956422fd3408aa3da3f513');
INSERT INTO public.arc_run_part_uses VALUES ('finished-paid', '2f493c1bd525fc573fe669f3c8151cd89cbf0c593c956422fd3408aa3da3f513');
INSERT INTO public.arc_run_part_uses VALUES ('finished-paid', '3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6');
INSERT INTO public.arc_run_part_uses VALUES ('finished-paid', 'cd163cc935e5c0dafdd69b4a59a3b84164fbc9998e1489364bfeb59f0514a89b');
INSERT INTO public.arc_run_part_uses VALUES ('finished-paid', 'df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b');
INSERT INTO public.arc_run_part_uses VALUES ('waiting', '2f493c1bd525fc573fe669f3c8151cd89cbf0c593c956422fd3408aa3da3f513');
INSERT INTO public.arc_run_part_uses VALUES ('waiting', '3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6');
INSERT INTO public.arc_run_part_uses VALUES ('waiting', 'cd163cc935e5c0dafdd69b4a59a3b84164fbc9998e1489364bfeb59f0514a89b');
INSERT INTO public.arc_run_part_uses VALUES ('waiting', 'df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b');
INSERT INTO public.arc_run_part_uses VALUES ('waiting-below', '2f493c1bd525fc573fe669f3c8151cd89cbf0c593c956422fd3408aa3da3f513');
INSERT INTO public.arc_run_part_uses VALUES ('waiting-below', '3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6');
INSERT INTO public.arc_run_part_uses VALUES ('waiting-below', 'cd163cc935e5c0dafdd69b4a59a3b84164fbc9998e1489364bfeb59f0514a89b');
INSERT INTO public.arc_run_part_uses VALUES ('waiting-below', 'df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b');
INSERT INTO public.arc_run_part_uses VALUES ('waiting-below', '8ed1e89b65729d352eebb4ea3db1f726986a46dff5dfe0a56df2468c2944a4a5');
INSERT INTO public.arc_run_part_uses VALUES ('waiting-below', 'e32deedc8457e1de1553526e45b622ed1b65f4b368f63750bdb67f2bd8153092');
INSERT INTO public.arc_run_part_uses VALUES ('denied', '2f493c1bd525fc573fe669f3c8151cd89cbf0c593c956422fd3408aa3da3f513');
INSERT INTO public.arc_run_part_uses VALUES ('denied', '3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6');
INSERT INTO public.arc_run_part_uses VALUES ('denied', 'cd163cc935e5c0dafdd69b4a59a3b84164fbc9998e1489364bfeb59f0514a89b');
INSERT INTO public.arc_run_part_uses VALUES ('denied', 'df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b');
INSERT INTO public.arc_run_part_uses VALUES ('decided', '2f493c1bd525fc573fe669f3c8151cd89cbf0c593c956422fd3408aa3da3f513');
INSERT INTO public.arc_run_part_uses VALUES ('decided', '3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6');
INSERT INTO public.arc_run_part_uses VALUES ('decided', 'cd163cc935e5c0dafdd69b4a59a3b84164fbc9998e1489364bfeb59f0514a89b');
INSERT INTO public.arc_run_part_uses VALUES ('decided', 'df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b');
INSERT INTO public.arc_run_part_uses VALUES ('cancelled', '2f493c1bd525fc573fe669f3c8151cd89cbf0c593c956422fd3408aa3da3f513');
INSERT INTO public.arc_run_part_uses VALUES ('cancelled', '3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6');
INSERT INTO public.arc_run_part_uses VALUES ('cancelled', 'cd163cc935e5c0dafdd69b4a59a3b84164fbc9998e1489364bfeb59f0514a89b');
INSERT INTO public.arc_run_part_uses VALUES ('cancelled', 'df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b');
INSERT INTO public.arc_run_part_uses VALUES ('running', '2f493c1bd525fc573fe669f3c8151cd89cbf0c593c956422fd3408aa3da3f513');
INSERT INTO public.arc_run_part_uses VALUES ('running', '3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6');
INSERT INTO public.arc_run_part_uses VALUES ('running', 'cd163cc935e5c0dafdd69b4a59a3b84164fbc9998e1489364bfeb59f0514a89b');
INSERT INTO public.arc_run_part_uses VALUES ('running', 'df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b');


--
-- Data for Name: arc_run_parts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.arc_run_parts VALUES ('2f493c1bd525fc573fe669f3c8151cd89cbf0c593c956422fd3408aa3da3f513', '[{"place":"agent_executor","name":"react","type":"arc_core.engine.run.executor:ReActAgentExecutor","package":"arc-agents","version":"0.1.0","settings":"ffc44f52c776416f7cd27ce7f7748861c6f4b9f7e30598cd1b72394b85927618"},{"place":"agent_metrics","name":"none","type":"arc_plugins.metrics.no_agent_metrics:NoAgentMetrics","package":"arc-agents","version":"0.1.0","settings":""},{"place":"approval_policy","name":"marked_tools_only","type":"arc_plugins.approvals.marked_tools_only:MarkedToolsOnlyPolicy","package":"arc-agents","version":"0.1.0","settings":""},{"place":"budgets","name":"none","type":"arc_plugins.budgets.no_budgets:NoBudgets","package":"arc-agents","version":"0.1.0","settings":"d17a1ed9e80f4ce0a4e5e035044e04ffbf0238ea3af08c2a469ec0f35a5d4ab9"},{"place":"chat_model","name":"ShopModel","type":"tests.arc_plugins.journals.sql.layouts.shop:ShopModel","package":"","version":"","settings":""},{"place":"compactor","name":"clearing","type":"arc_plugins.compactors.clearing:ClearingCompactor","package":"arc-agents","version":"0.1.0","settings":""},{"place":"conversation_manager","name":"window","type":"arc_plugins.conversations.managers.window:WindowConversationManager","package":"arc-agents","version":"0.1.0","settings":"5d12745a9aeb62e97dd7efa9e7f419b402f7bc38dec8fd1599f6e94e1f13ef72"},{"place":"conversation_store","name":"memory","type":"arc_plugins.conversations.in_memory_store:InMemoryConversationStore","package":"arc-agents","version":"0.1.0","settings":""},{"place":"error_message_resolver","name":"english","type":"arc_plugins.messages.english:EnglishErrorMessageResolver","package":"arc-agents","version":"0.1.0","settings":""},{"place":"model_prices","name":"genai","type":"arc_plugins.prices.genai_prices:GenaiModelPrices","package":"arc-agents","version":"0.1.0","settings":""},{"place":"response_cache","name":"none","type":"arc_plugins.caches.no_response_cache:NoResponseCache","package":"arc-agents","version":"0.1.0","settings":"31edef841383a3e69f2622501057036b5ba2037dd77050ea57e8c696f9421a10"},{"place":"response_filter_chain","name":"ordered","type":"arc_plugins.response_filter_chains.ordered:OrderedResponseFilterChain","package":"arc-agents","version":"0.1.0","settings":""},{"place":"retriever","name":"none","type":"arc_plugins.retrieval.no_retriever:NoRetriever","package":"arc-agents","version":"0.1.0","settings":""},{"place":"run_journals","name":"dbos","type":"arc_plugins.journals.sql.journals:DurableRunJournals","package":"arc-agents","version":"0.1.0","settings":"5524fdcd3a2448d64b3cad896473d573a9a99e6e587638ca27343d8376ed752d"},{"place":"token_estimator","name":"heuristic","type":"arc_plugins.estimators.heuristic:HeuristicTokenEstimator","package":"arc-agents","version":"0.1.0","settings":""},{"place":"tool_selector","name":"all","type":"arc_plugins.selectors.all_tools:AllToolSelector","package":"arc-agents","version":"0.1.0","settings":""},{"place":"agents","name":"buyer","type":"arc_core.agents.agent:Agent","package":"","version":"","settings":""},{"place":"agents","name":"clerk","type":"arc_core.agents.agent:Agent","package":"","version":"","settings":""},{"place":"guards","name":"injection_detection","type":"arc_plugins.guards.injection_detection.guard:InjectionDetectionGuard","package":"arc-agents","version":"0.1.0","settings":"e17082ec6c7f3c9a0d4b7f9480aade802942f027c13b4e19e81f20b6e11f47ee","pure":true,"code":"49912d581d9fbd1ac820c7b8cf84f6b5a1463c10a3a3f2d547df27cbfd0584e5"},{"place":"guards","name":"input_validation","type":"arc_plugins.guards.input_validation:InputValidationGuard","package":"arc-agents","version":"0.1.0","settings":"e17082ec6c7f3c9a0d4b7f9480aade802942f027c13b4e19e81f20b6e11f47ee","pure":true,"code":"9fffabcfc42314324c859d656b29269c67e858f0d6b722b3591745eee44a982c"},{"place":"guards","name":"raw_length","type":"arc_plugins.guards.input_validation:RawLengthGuard","package":"arc-agents","version":"0.1.0","settings":"e17082ec6c7f3c9a0d4b7f9480aade802942f027c13b4e19e81f20b6e11f47ee","pure":true,"code":"94e1823e720ae361cfc10894dc51056f8ff9dbf9ca8a8634016a1a15c8845e5c"},{"place":"guards","name":"unicode_normalization","type":"arc_plugins.guards.unicode_normalization.guard:UnicodeNormalizationGuard","package":"arc-agents","version":"0.1.0","settings":"e17082ec6c7f3c9a0d4b7f9480aade802942f027c13b4e19e81f20b6e11f47ee","pure":true,"code":"6c12ac138159e7a83271d4542b981d3393f5b8da2ea8d32bdd078f513c9715a1"},{"place":"tool_result_guards","name":"injection_in_results","type":"arc_plugins.guards.injection_detection.result_guard:InjectionToolResultGuard","package":"arc-agents","version":"0.1.0","settings":"e17082ec6c7f3c9a0d4b7f9480aade802942f027c13b4e19e81f20b6e11f47ee","pure":true,"code":"364fa0ea0d61a4a4c9a813021da2923c7ea210e752336944c055d5a74ce92c45"}]');
INSERT INTO public.arc_run_parts VALUES ('0e7d04d4871df7163fef7b8e2e0d301aca1e1f4f9003635d8d8f563322a0ee7a', '{"name":"dig","package":"","description":"Dig, for ever in a process that is to be killed.","parameters":{"type":"object","properties":{"item":{"type":"string"}},"additionalProperties":false,"required":["item"]}}');
INSERT INTO public.arc_run_parts VALUES ('3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6', '[{"name":"ask_buyer","package":"","digest":"dd653a69fe3249963688456160944bbbe623f3bf70b09aa4d1d0584034531afe"},{"name":"dig","package":"","digest":"0e7d04d4871df7163fef7b8e2e0d301aca1e1f4f9003635d8d8f563322a0ee7a"},{"name":"find","package":"","digest":"8769c82c6c37efa779ff9b7d06ba3e32e18f21b06e55ad556c68c1231105037b"},{"name":"look","package":"","digest":"b559123a74884864fe6801dbd8b9058cb32be0ddebfa0c12ac0d7a32d1d0d69a"},{"name":"pay","package":"","digest":"f34de30665ef17e726b7d473a847febd0b671794335f4b16bc479a5e470bd7d8"}]');
INSERT INTO public.arc_run_parts VALUES ('8769c82c6c37efa779ff9b7d06ba3e32e18f21b06e55ad556c68c1231105037b', '{"name":"find","package":"","description":"Find an item.","parameters":{"type":"object","properties":{"item":{"type":"string"}},"additionalProperties":false,"required":["item"]}}');
INSERT INTO public.arc_run_parts VALUES ('b559123a74884864fe6801dbd8b9058cb32be0ddebfa0c12ac0d7a32d1d0d69a', '{"name":"look","package":"","description":"Look at an item.","parameters":{"type":"object","properties":{"item":{"type":"string"}},"additionalProperties":false,"required":["item"]}}');
INSERT INTO public.arc_run_parts VALUES ('cd163cc935e5c0dafdd69b4a59a3b84164fbc9998e1489364bfeb59f0514a89b', '"You sell."');
INSERT INTO public.arc_run_parts VALUES ('dd653a69fe3249963688456160944bbbe623f3bf70b09aa4d1d0584034531afe', '{"name":"ask_buyer","package":"","description":"Buys items.","parameters":{"type":"object","properties":{"task":{"type":"string","description":"What it is to do, with all it needs to know: it sees nothing of this conversation."}},"required":["task"],"additionalProperties":false}}');
INSERT INTO public.arc_run_parts VALUES ('df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b', '{"model":null,"temperature":null,"max_output_tokens":4096,"response_format":"text","response_schema":null,"reasoning":null,"tool_choice":"auto"}');
INSERT INTO public.arc_run_parts VALUES ('f34de30665ef17e726b7d473a847febd0b671794335f4b16bc479a5e470bd7d8', '{"name":"pay","package":"","description":"Pay for an item.","parameters":{"type":"object","properties":{"item":{"type":"string"}},"additionalProperties":false,"required":["item"]}}');
INSERT INTO public.arc_run_parts VALUES ('8ed1e89b65729d352eebb4ea3db1f726986a46dff5dfe0a56df2468c2944a4a5', '[{"name":"find","package":"","digest":"8769c82c6c37efa779ff9b7d06ba3e32e18f21b06e55ad556c68c1231105037b"},{"name":"look","package":"","digest":"b559123a74884864fe6801dbd8b9058cb32be0ddebfa0c12ac0d7a32d1d0d69a"},{"name":"pay","package":"","digest":"f34de30665ef17e726b7d473a847febd0b671794335f4b16bc479a5e470bd7d8"}]');
INSERT INTO public.arc_run_parts VALUES ('e32deedc8457e1de1553526e45b622ed1b65f4b368f63750bdb67f2bd8153092', '"You buy."');


--
-- Data for Name: arc_run_schema; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.arc_run_schema VALUES (1);


--
-- Data for Name: arc_run_steps; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.arc_run_steps VALUES ('finished-plain', 'begin', '{"type":"step","value":{"type":"in_charge","agent":"clerk"},"active_s":0.00042371299969090614,"told":1}', '2026-11-26T11:26:26.747593Z');
INSERT INTO public.arc_run_steps VALUES ('finished-plain', 'enter', '{"type":"step","value":{"type":"entered","prompt":"hello","system_prompt":"You sell.","tools":["ask_buyer","dig","find","look","pay"],"started_at":"2026-11-26T11:26:26.741235+00:00","wiring":"2f493c1bd525fc573fe669f3c8151cd89cbf0c593c956422fd3408aa3da3f513"},"active_s":0.020269569999982195,"told":1}', '2026-11-26T11:26:26.762920Z');
INSERT INTO public.arc_run_steps VALUES ('finished-plain', 'model/1', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"hello."},"usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}},"request":{"type":"request","parts":[{"type":"part","kind":"system_prompt","digest":"cd163cc935e5c0dafdd69b4a59a3b84164fbc9998e1489364bfeb59f0514a89b"},{"type":"part","kind":"tools","digest":"3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6"},{"type":"part","digest":"5e66da3b29055e7efae39243510467154e4dba13cee5165d8a15817510d42b64"}],"options":"df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b"}},"started_at":"2026-11-26T11:26:26.771141+00:00","ended_at":"2026-11-26T11:26:26.772112+00:00","active_s":0.03084792000026937,"told":2}', '2026-11-26T11:26:26.773377Z');
INSERT INTO public.arc_run_steps VALUES ('finished-plain', 'finish', '{"type":"step","value":{"type":"agent_result","success":true,"content":"hello.","error_code":null,"error_message":null,"tools_used":[],"token_usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":38.260010999692895,"run_id":"finished-plain","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"hello"},{"type":"assistant_message","content":"hello."}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null},"active_s":0.043029943999499665,"told":2}', '2026-11-26T11:26:26.786144Z');
INSERT INTO public.arc_run_steps VALUES ('finished-parallel', 'begin', '{"type":"step","value":{"type":"in_charge","agent":"clerk"},"active_s":0.0003725599999597762,"told":1}', '2026-11-26T11:26:27.026622Z');
INSERT INTO public.arc_run_steps VALUES ('finished-parallel', 'enter', '{"type":"step","value":{"type":"entered","prompt":"parallel","system_prompt":"You sell.","tools":["ask_buyer","dig","find","look","pay"],"started_at":"2026-11-26T11:26:27.025036+00:00","wiring":"2f493c1bd525fc573fe669f3c8151cd89cbf0c593c956422fd3408aa3da3f513"},"active_s":0.005590234000010241,"told":1}', '2026-11-26T11:26:27.032071Z');
INSERT INTO public.arc_run_steps VALUES ('finished-parallel', 'model/1', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"","tool_calls":[{"type":"tool_call","id":"call-0","name":"find","arguments":"{\"item\": \"parallel\"}"},{"type":"tool_call","id":"call-1","name":"look","arguments":"{\"item\": \"parallel\"}"}]},"usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}},"request":{"type":"request","parts":[{"type":"part","kind":"system_prompt","digest":"cd163cc935e5c0dafdd69b4a59a3b84164fbc9998e1489364bfeb59f0514a89b"},{"type":"part","kind":"tools","digest":"3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6"},{"type":"part","digest":"3fc252a3dd8d960c1858f885ee0aa516517be8b1e9e952ae1622531b2f78f03a"}],"options":"df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b"}},"started_at":"2026-11-26T11:26:27.037604+00:00","ended_at":"2026-11-26T11:26:27.039472+00:00","active_s":0.014409241999601363,"told":1}', '2026-11-26T11:26:27.041238Z');
INSERT INTO public.arc_run_steps VALUES ('finished-parallel', 'tool/0', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-0","name":"find","content":"found parallel in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf "},"duration_ms":0.10378400020272238,"found":true,"repeatable":false},"active_s":0.02415809000012814,"told":5}', '2026-11-26T11:26:27.050999Z');
INSERT INTO public.arc_run_steps VALUES ('finished-parallel', 'tool/1', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-1","name":"look","content":"parallel looks good and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new "},"duration_ms":0.05243299983703764,"found":true,"repeatable":false},"active_s":0.024277435999465524,"told":5}', '2026-11-26T11:26:27.050999Z');
INSERT INTO public.arc_run_steps VALUES ('finished-parallel', 'model/2', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"parallel: found parallel in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ; parallel looks good and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new "},"usage":{"type":"token_usage","prompt_tokens":20,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}},"repeatable":false,"request":{"type":"request","kept":3,"beginning":"2a2f23ad87791725fed76620ad69f71e45ec5d408d87b8d9542a33001147d0c0","parts":[{"type":"part","digest":"808e4662ebc4f5414d7740ce87c1316e5f6957387fcd919739334eb0741149cc"},{"type":"part","digest":"376d751529239a1fc268e695267f0e2346234c5dad1ce5cdca98c3bac913be1b"}],"options":"df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b"}},"started_at":"2026-11-26T11:26:27.056919+00:00","ended_at":"2026-11-26T11:26:27.057645+00:00","active_s":0.03258010899935471,"told":6}', '2026-11-26T11:26:27.058932Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'begin', '{"type":"step","value":{"type":"in_charge","agent":"clerk"},"active_s":0.00021584799924312392,"told":1}', '2026-11-26T11:26:27.290767Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'enter', '{"type":"step","value":{"type":"entered","prompt":"delegate","system_prompt":"You sell.","tools":["ask_buyer","dig","find","look","pay"],"started_at":"2026-11-26T11:26:27.289667+00:00","wiring":"2f493c1bd525fc573fe669f3c8151cd89cbf0c593c956422fd3408aa3da3f513"},"active_s":0.004646590999982436,"told":1}', '2026-11-26T11:26:27.302970Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'tool/0/begin', '{"type":"step","value":{"type":"in_charge","agent":"buyer"},"active_s":0.0008834350001052371,"told":1}', '2026-11-26T11:26:27.349756Z');
INSERT INTO public.arc_run_steps VALUES ('finished-parallel', 'finish', '{"type":"step","value":{"type":"agent_result","success":true,"content":"parallel: found parallel in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ; parallel looks good and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new ","error_code":null,"error_message":null,"tools_used":["find","look"],"token_usage":{"type":"token_usage","prompt_tokens":30,"completion_tokens":10,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":35.446763999971154,"run_id":"finished-parallel","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"parallel"},{"$recorded":["model/1","value","response","message"]},{"type":"tool_result_message","results":[{"$recorded":["tool/0","value","result"]},{"$recorded":["tool/1","value","result"]}]},{"$recorded":["model/2","value","response","message"]}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null},"active_s":0.03680482099935034,"told":6}', '2026-11-26T11:26:27.063446Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'tool/0/finish', '{"type":"step","value":{"type":"agent_result","success":true,"content":"buyer finds: found buyer finds in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ","error_code":null,"error_message":null,"tools_used":["find"],"token_usage":{"type":"token_usage","prompt_tokens":30,"completion_tokens":10,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":27.7754789995015,"run_id":"e95acce1-27da-5020-a48b-b2acc4bf5778","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"buyer finds"},{"$recorded":["tool/0/model/1","value","response","message"]},{"type":"tool_result_message","results":[{"$recorded":["tool/0/tool/0","value","result"]}]},{"$recorded":["tool/0/model/2","value","response","message"]}],"reasoning":null,"agent":"buyer","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null},"active_s":0.02954319599939481,"told":5}', '2026-11-26T11:26:27.377936Z');
INSERT INTO public.arc_run_steps VALUES ('waiting', 'model/1', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"","tool_calls":[{"type":"tool_call","id":"call-0","name":"find","arguments":"{\"item\": \"pay\"}"},{"type":"tool_call","id":"call-1","name":"pay","arguments":"{\"item\": \"pay\"}"}]},"usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}},"request":{"type":"request","parts":[{"type":"part","kind":"system_prompt","digest":"cd163cc935e5c0dafdd69b4a59a3b84164fbc9998e1489364bfeb59f0514a89b"},{"type":"part","kind":"tools","digest":"3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6"},{"type":"part","digest":"fb72d4a1c763a0d8b0f12a22e425ae8435857478aea28e03fbe94272cc586375"}],"options":"df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b"}},"started_at":"2026-11-26T11:26:28.126623+00:00","ended_at":"2026-11-26T11:26:28.127204+00:00","active_s":0.011778024000705045,"told":1}', '2026-11-26T11:26:28.128418Z');
INSERT INTO public.arc_run_steps VALUES ('waiting-below', 'begin', '{"type":"step","value":{"type":"in_charge","agent":"clerk"},"active_s":0.0003337640000609099,"told":1}', '2026-11-26T11:26:28.378272Z');
INSERT INTO public.arc_run_steps VALUES ('waiting-below', 'tool/0/begin', '{"type":"step","value":{"type":"in_charge","agent":"buyer"},"active_s":0.0005861390000063693,"told":1}', '2026-11-26T11:26:28.397401Z');
INSERT INTO public.arc_run_steps VALUES ('waiting-below', 'tool/1', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-1","name":"look","content":"delegate and pay looks good and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new "},"duration_ms":0.0930539999899338,"found":true,"repeatable":false},"active_s":0.021057590000054915,"told":4}', '2026-11-26T11:26:28.397401Z');
INSERT INTO public.arc_run_steps VALUES ('waiting-below', 'tool/0/approve/0', '{"type":"step","value":{"type":"judged","verdict":"ask","since":"2026-11-26T11:26:28.411057+00:00"},"active_s":0.015788491000421345,"told":2}', '2026-11-26T11:26:28.415135Z');
INSERT INTO public.arc_run_steps VALUES ('finished-paid', 'tool/1', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-1","name":"pay","content":"paid for pay"},"duration_ms":0.10435399963171221,"found":true,"repeatable":false},"active_s":0.020742025999425096,"told":6}', '2026-11-26T11:26:29.470095Z');
INSERT INTO public.arc_run_steps VALUES ('finished-paid', 'finish', '{"type":"step","value":{"type":"agent_result","success":true,"content":"pay: found pay in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ; paid for pay","error_code":null,"error_message":null,"tools_used":["find","pay"],"token_usage":{"type":"token_usage","prompt_tokens":30,"completion_tokens":10,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":31.67540699996607,"run_id":"finished-paid","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"pay"},{"$recorded":["model/1","value","response","message"]},{"type":"tool_result_message","results":[{"$recorded":["tool/0","value","result"]},{"type":"tool_result","call_id":"call-1","name":"pay","content":"paid for pay"}]},{"$recorded":["model/2","value","response","message"]}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null},"active_s":0.03296830899944325,"told":7}', '2026-11-26T11:26:29.482267Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'model/1', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"","tool_calls":[{"type":"tool_call","id":"call-0","name":"ask_buyer","arguments":"{\"task\": \"buyer finds\"}"},{"type":"tool_call","id":"call-1","name":"look","arguments":"{\"item\": \"delegate\"}"}]},"usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}},"request":{"type":"request","parts":[{"type":"part","kind":"system_prompt","digest":"cd163cc935e5c0dafdd69b4a59a3b84164fbc9998e1489364bfeb59f0514a89b"},{"type":"part","kind":"tools","digest":"3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6"},{"type":"part","digest":"8a785625417039f7004c9189fb5623e779efe4f900601cf0fc297241b508430b"}],"options":"df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b"}},"started_at":"2026-11-26T11:26:27.307278+00:00","ended_at":"2026-11-26T11:26:27.307797+00:00","active_s":0.018104436999237805,"told":1}', '2026-11-26T11:26:27.308757Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'tool/0/model/1', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"","tool_calls":[{"type":"tool_call","id":"call-0","name":"find","arguments":"{\"item\": \"buyer finds\"}"}]},"usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}},"request":{"type":"request","parts":[{"type":"part","kind":"system_prompt","digest":"e32deedc8457e1de1553526e45b622ed1b65f4b368f63750bdb67f2bd8153092"},{"type":"part","kind":"tools","digest":"8ed1e89b65729d352eebb4ea3db1f726986a46dff5dfe0a56df2468c2944a4a5"},{"type":"part","digest":"530e327367d9f4749aec1542ecabd352b90dc8637aa4ba6cec20295f0fdb8ce2"}],"options":"df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b"}},"started_at":"2026-11-26T11:26:27.353220+00:00","ended_at":"2026-11-26T11:26:27.353689+00:00","active_s":0.007704888999796822,"told":1}', '2026-11-26T11:26:27.354681Z');
INSERT INTO public.arc_run_steps VALUES ('failed', 'enter', '{"type":"step","value":{"type":"entered","prompt":"fail","system_prompt":"You sell.","tools":["ask_buyer","dig","find","look","pay"],"started_at":"2026-11-26T11:26:27.587117+00:00","wiring":"2f493c1bd525fc573fe669f3c8151cd89cbf0c593c956422fd3408aa3da3f513"},"active_s":0.0060261929993430385,"told":1}', '2026-11-26T11:26:27.596073Z');
INSERT INTO public.arc_run_steps VALUES ('finished-paid', 'model/1', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"","tool_calls":[{"type":"tool_call","id":"call-0","name":"find","arguments":"{\"item\": \"pay\"}"},{"type":"tool_call","id":"call-1","name":"pay","arguments":"{\"item\": \"pay\"}"}]},"usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}},"request":{"type":"request","parts":[{"type":"part","kind":"system_prompt","digest":"cd163cc935e5c0dafdd69b4a59a3b84164fbc9998e1489364bfeb59f0514a89b"},{"type":"part","kind":"tools","digest":"3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6"},{"type":"part","digest":"fb72d4a1c763a0d8b0f12a22e425ae8435857478aea28e03fbe94272cc586375"}],"options":"df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b"}},"started_at":"2026-11-26T11:26:27.861868+00:00","ended_at":"2026-11-26T11:26:27.862398+00:00","active_s":0.009701107000182674,"told":1}', '2026-11-26T11:26:27.863400Z');
INSERT INTO public.arc_run_steps VALUES ('waiting-below', 'enter', '{"type":"step","value":{"type":"entered","prompt":"delegate and pay","system_prompt":"You sell.","tools":["ask_buyer","dig","find","look","pay"],"started_at":"2026-11-26T11:26:28.375320+00:00","wiring":"2f493c1bd525fc573fe669f3c8151cd89cbf0c593c956422fd3408aa3da3f513"},"active_s":0.008324582000568626,"told":1}', '2026-11-26T11:26:28.384725Z');
INSERT INTO public.arc_run_steps VALUES ('waiting-below', 'tool/0/enter', '{"type":"step","value":{"type":"entered","prompt":"buyer pays","system_prompt":"You buy.","tools":["find","look","pay"],"started_at":"2026-11-26T11:26:28.395757+00:00","wiring":"2f493c1bd525fc573fe669f3c8151cd89cbf0c593c956422fd3408aa3da3f513"},"active_s":0.003585145999750239,"told":1}', '2026-11-26T11:26:28.400083Z');
INSERT INTO public.arc_run_steps VALUES ('denied', 'model/1', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"","tool_calls":[{"type":"tool_call","id":"call-0","name":"find","arguments":"{\"item\": \"pay\"}"},{"type":"tool_call","id":"call-1","name":"pay","arguments":"{\"item\": \"pay\"}"}]},"usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}},"request":{"type":"request","parts":[{"type":"part","kind":"system_prompt","digest":"cd163cc935e5c0dafdd69b4a59a3b84164fbc9998e1489364bfeb59f0514a89b"},{"type":"part","kind":"tools","digest":"3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6"},{"type":"part","digest":"fb72d4a1c763a0d8b0f12a22e425ae8435857478aea28e03fbe94272cc586375"}],"options":"df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b"}},"started_at":"2026-11-26T11:26:28.663128+00:00","ended_at":"2026-11-26T11:26:28.663709+00:00","active_s":0.012647208999624127,"told":1}', '2026-11-26T11:26:28.665039Z');
INSERT INTO public.arc_run_steps VALUES ('decided', 'model/1', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"","tool_calls":[{"type":"tool_call","id":"call-0","name":"find","arguments":"{\"item\": \"pay\"}"},{"type":"tool_call","id":"call-1","name":"pay","arguments":"{\"item\": \"pay\"}"}]},"usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}},"request":{"type":"request","parts":[{"type":"part","kind":"system_prompt","digest":"cd163cc935e5c0dafdd69b4a59a3b84164fbc9998e1489364bfeb59f0514a89b"},{"type":"part","kind":"tools","digest":"3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6"},{"type":"part","digest":"fb72d4a1c763a0d8b0f12a22e425ae8435857478aea28e03fbe94272cc586375"}],"options":"df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b"}},"started_at":"2026-11-26T11:26:28.936492+00:00","ended_at":"2026-11-26T11:26:28.936995+00:00","active_s":0.011872656999912579,"told":1}', '2026-11-26T11:26:28.944853Z');
INSERT INTO public.arc_run_steps VALUES ('cancelled', 'begin', '{"type":"step","value":{"type":"in_charge","agent":"clerk"},"active_s":0.0001939309995577787,"told":1}', '2026-11-26T11:26:29.189057Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'tool/1', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-1","name":"look","content":"delegate looks good and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new "},"duration_ms":0.08670999977766769,"found":true,"repeatable":false},"active_s":0.057241711999267864,"told":4}', '2026-11-26T11:26:27.349756Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'tool/0/tool/0', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-0","name":"find","content":"found buyer finds in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf "},"duration_ms":0.069796000389033,"found":true,"repeatable":false},"active_s":0.0127242809994641,"told":3}', '2026-11-26T11:26:27.360535Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'model/2', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"delegate: buyer finds: found buyer finds in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ; delegate looks good and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new "},"usage":{"type":"token_usage","prompt_tokens":20,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}},"repeatable":false,"request":{"type":"request","kept":3,"beginning":"ee9daf904a49823c9c793c7c7d1d4b9017e9816310793c14145f910e00ae82ed","parts":[{"type":"part","digest":"6c4c41d92b00d1ae3cc832c9f96de7782cb485d9321d53d13905395392d1ce32"},{"type":"part","digest":"d818596ebfca2064dec64f1f0b545325b2dcc7f706975670b513cbf7390626fc"}],"options":"df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b"}},"started_at":"2026-11-26T11:26:27.398911+00:00","ended_at":"2026-11-26T11:26:27.399456+00:00","active_s":0.10976401199968677,"told":6}', '2026-11-26T11:26:27.400460Z');
INSERT INTO public.arc_run_steps VALUES ('denied', 'tool/0', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-0","name":"find","content":"found pay in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf "},"duration_ms":0.09614000009605661,"found":true,"repeatable":false},"active_s":0.02214877299957152,"told":4}', '2026-11-26T11:26:28.676622Z');
INSERT INTO public.arc_run_steps VALUES ('denied', 'approve/1', '{"type":"step","value":{"type":"judged","verdict":"ask","since":"2026-11-26T11:26:28.671945+00:00"},"active_s":0.022326853999402374,"told":4}', '2026-11-26T11:26:28.676622Z');
INSERT INTO public.arc_run_steps VALUES ('decided', 'begin', '{"type":"step","value":{"type":"in_charge","agent":"clerk"},"active_s":0.00019128599979012506,"told":1}', '2026-11-26T11:26:28.927277Z');
INSERT INTO public.arc_run_steps VALUES ('decided', 'tool/0', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-0","name":"find","content":"found pay in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf "},"duration_ms":0.08939399958762806,"found":true,"repeatable":false},"active_s":0.030809583000518614,"told":4}', '2026-11-26T11:26:28.957790Z');
INSERT INTO public.arc_run_steps VALUES ('decided', 'approve/1', '{"type":"step","value":{"type":"judged","verdict":"ask","since":"2026-11-26T11:26:28.955469+00:00"},"active_s":0.030909675000657444,"told":4}', '2026-11-26T11:26:28.957790Z');
INSERT INTO public.arc_run_steps VALUES ('cancelled', 'enter', '{"type":"step","value":{"type":"entered","prompt":"pay","system_prompt":"You sell.","tools":["ask_buyer","dig","find","look","pay"],"started_at":"2026-11-26T11:26:29.187593+00:00","wiring":"2f493c1bd525fc573fe669f3c8151cd89cbf0c593c956422fd3408aa3da3f513"},"active_s":0.002706285000385833,"told":1}', '2026-11-26T11:26:29.191497Z');
INSERT INTO public.arc_run_steps VALUES ('cancelled', 'tool/0', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-0","name":"find","content":"found pay in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf "},"duration_ms":0.07995600026333705,"found":true,"repeatable":false},"active_s":0.011502956000185804,"told":4}', '2026-11-26T11:26:29.200228Z');
INSERT INTO public.arc_run_steps VALUES ('cancelled', 'approve/1', '{"type":"step","value":{"type":"judged","verdict":"ask","since":"2026-11-26T11:26:29.198499+00:00"},"active_s":0.01157504299953871,"told":4}', '2026-11-26T11:26:29.200228Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'tool/0/enter', '{"type":"step","value":{"type":"entered","prompt":"buyer finds","system_prompt":"You buy.","tools":["find","look","pay"],"started_at":"2026-11-26T11:26:27.345962+00:00","wiring":"2f493c1bd525fc573fe669f3c8151cd89cbf0c593c956422fd3408aa3da3f513"},"active_s":0.005512322999493335,"told":1}', '2026-11-26T11:26:27.352464Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'tool/0/model/2', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"buyer finds: found buyer finds in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf "},"usage":{"type":"token_usage","prompt_tokens":20,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}},"repeatable":false,"request":{"type":"request","kept":3,"beginning":"6b28ef000c33aeeb9f854aaa218c16367bf8d720bd251f611af07d716b3f860d","parts":[{"type":"part","digest":"610f20b395e8f195f7a17a5ea85d040e994b8cd48948c548134c20237c09d270"},{"type":"part","digest":"4ffbd77ae3890e3e3af409e09c2e9a5d710fd65edc32d4eed595ce2a6584e5ff"}],"options":"df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b"}},"started_at":"2026-11-26T11:26:27.361432+00:00","ended_at":"2026-11-26T11:26:27.361918+00:00","active_s":0.015934094999465742,"told":4}', '2026-11-26T11:26:27.364731Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'tool/0', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-0","name":"ask_buyer","content":"buyer finds: found buyer finds in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf "},"duration_ms":38.26411999943957,"found":true,"repeatable":false,"usage":{"type":"token_usage","prompt_tokens":30,"completion_tokens":10,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"is_cost_known":false,"tool_calls":1},"active_s":0.09457180299978063,"told":5}', '2026-11-26T11:26:27.391909Z');
INSERT INTO public.arc_run_steps VALUES ('finished-delegate', 'finish', '{"type":"step","value":{"type":"agent_result","success":true,"content":"delegate: buyer finds: found buyer finds in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ; delegate looks good and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new ","error_code":null,"error_message":null,"tools_used":["ask_buyer","look"],"token_usage":{"type":"token_usage","prompt_tokens":60,"completion_tokens":20,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":113.25709999982791,"run_id":"finished-delegate","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"delegate"},{"$recorded":["model/1","value","response","message"]},{"type":"tool_result_message","results":[{"$recorded":["tool/0","value","result"]},{"$recorded":["tool/1","value","result"]}]},{"$recorded":["model/2","value","response","message"]}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null},"active_s":0.11616697099998419,"told":6}', '2026-11-26T11:26:27.408747Z');
INSERT INTO public.arc_run_steps VALUES ('failed', 'begin', '{"type":"step","value":{"type":"in_charge","agent":"clerk"},"active_s":0.0002713959993343451,"told":1}', '2026-11-26T11:26:27.588513Z');
INSERT INTO public.arc_run_steps VALUES ('failed', 'finish', '{"type":"step","value":{"type":"agent_result","success":false,"content":null,"error_code":"UNAVAILABLE","error_message":"The service cannot be reached. Please try again later.","tools_used":[],"token_usage":null,"duration_ms":12.429689999407856,"run_id":"failed","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"fail"}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null},"active_s":0.013590656999440398,"told":1}', '2026-11-26T11:26:27.601642Z');
INSERT INTO public.arc_run_steps VALUES ('finished-paid', 'begin', '{"type":"step","value":{"type":"in_charge","agent":"clerk"},"active_s":0.00022602199987886706,"told":1}', '2026-11-26T11:26:27.856453Z');
INSERT INTO public.arc_run_steps VALUES ('finished-paid', 'enter', '{"type":"step","value":{"type":"entered","prompt":"pay","system_prompt":"You sell.","tools":["ask_buyer","dig","find","look","pay"],"started_at":"2026-11-26T11:26:27.852675+00:00","wiring":"2f493c1bd525fc573fe669f3c8151cd89cbf0c593c956422fd3408aa3da3f513"},"active_s":0.006596570000510837,"told":1}', '2026-11-26T11:26:27.860172Z');
INSERT INTO public.arc_run_steps VALUES ('finished-paid', 'tool/0', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-0","name":"find","content":"found pay in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf "},"duration_ms":0.08333499954460422,"found":true,"repeatable":false},"active_s":0.01533909899990249,"told":4}', '2026-11-26T11:26:27.870922Z');
INSERT INTO public.arc_run_steps VALUES ('finished-paid', 'approve/1', '{"type":"step","value":{"type":"judged","verdict":"ask","since":"2026-11-26T11:26:27.867483+00:00"},"active_s":0.015412872000524658,"told":4}', '2026-11-26T11:26:27.870922Z');
INSERT INTO public.arc_run_steps VALUES ('waiting', 'begin', '{"type":"step","value":{"type":"in_charge","agent":"clerk"},"active_s":0.00029369000003498513,"told":1}', '2026-11-26T11:26:28.117864Z');
INSERT INTO public.arc_run_steps VALUES ('waiting', 'enter', '{"type":"step","value":{"type":"entered","prompt":"pay","system_prompt":"You sell.","tools":["ask_buyer","dig","find","look","pay"],"started_at":"2026-11-26T11:26:28.115398+00:00","wiring":"2f493c1bd525fc573fe669f3c8151cd89cbf0c593c956422fd3408aa3da3f513"},"active_s":0.008061632000135432,"told":1}', '2026-11-26T11:26:28.124526Z');
INSERT INTO public.arc_run_steps VALUES ('waiting', 'tool/0', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-0","name":"find","content":"found pay in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf "},"duration_ms":0.09079800020117546,"found":true,"repeatable":false},"active_s":0.018819618000634364,"told":4}', '2026-11-26T11:26:28.136933Z');
INSERT INTO public.arc_run_steps VALUES ('waiting', 'approve/1', '{"type":"step","value":{"type":"judged","verdict":"ask","since":"2026-11-26T11:26:28.132174+00:00"},"active_s":0.018929756000034104,"told":4}', '2026-11-26T11:26:28.136933Z');
INSERT INTO public.arc_run_steps VALUES ('denied', 'begin', '{"type":"step","value":{"type":"in_charge","agent":"clerk"},"active_s":0.0002112279998982558,"told":1}', '2026-11-26T11:26:28.652149Z');
INSERT INTO public.arc_run_steps VALUES ('cancelled', 'finish', '{"type":"step","value":{"type":"agent_result","success":false,"content":null,"error_code":"CANCELLED","error_message":"The request was cancelled.","tools_used":["find"],"token_usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":16.834653999467264,"run_id":"cancelled","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"pay"}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null},"active_s":0.021628898000017216,"told":4}', '2026-11-26T11:26:29.277182Z');
INSERT INTO public.arc_run_steps VALUES ('finished-paid', 'model/2', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"pay: found pay in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ; paid for pay"},"usage":{"type":"token_usage","prompt_tokens":20,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}},"repeatable":false,"request":{"type":"request","kept":3,"beginning":"7f56a45402430d2aa3a298a121d3979a1370ccf623d5b42a73c52d449e21e035","parts":[{"type":"part","digest":"1a9d7019009d68d8ffcfdc177364692f9d55ab10d6e6e661650a47b3b023ff54"},{"type":"part","digest":"8965507f71ec517544f56c3a40b7cbe58216edb038c60238e1fde505bddc43b8"}],"options":"df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b"}},"started_at":"2026-11-26T11:26:29.475054+00:00","ended_at":"2026-11-26T11:26:29.475568+00:00","active_s":0.027392348999455862,"told":7}', '2026-11-26T11:26:29.477758Z');
INSERT INTO public.arc_run_steps VALUES ('denied', 'model/2', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"pay: found pay in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ; Error: This call of the tool ''pay'' was denied: no"},"usage":{"type":"token_usage","prompt_tokens":20,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}},"repeatable":false,"request":{"type":"request","kept":3,"beginning":"7f56a45402430d2aa3a298a121d3979a1370ccf623d5b42a73c52d449e21e035","parts":[{"type":"part","digest":"1a9d7019009d68d8ffcfdc177364692f9d55ab10d6e6e661650a47b3b023ff54"},{"type":"part","digest":"a73d2e53d85c23d7aa8cd541e6f7cf1416f15db2008e718607b966db05ac9907"}],"options":"df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b"}},"started_at":"2026-11-26T11:26:29.747016+00:00","ended_at":"2026-11-26T11:26:29.747587+00:00","active_s":0.03207925399965461,"told":7}', '2026-11-26T11:26:29.748503Z');
INSERT INTO public.arc_run_steps VALUES ('running', 'enter', '{"type":"step","value":{"type":"entered","prompt":"dig","system_prompt":"You sell.","tools":["ask_buyer","dig","find","look","pay"],"started_at":"2026-11-26T11:26:29.984127+00:00","wiring":"2f493c1bd525fc573fe669f3c8151cd89cbf0c593c956422fd3408aa3da3f513"},"active_s":0.007124327999918023,"told":1}', '2026-11-26T11:26:29.992112Z');
INSERT INTO public.arc_run_steps VALUES ('running', 'tool/0', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-0","name":"find","content":"found dig in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf "},"duration_ms":0.06531600047310349,"found":true,"repeatable":false},"active_s":0.021074606999718526,"told":4}', '2026-11-26T11:26:30.006264Z');
INSERT INTO public.arc_run_steps VALUES ('waiting-below', 'model/1', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"","tool_calls":[{"type":"tool_call","id":"call-0","name":"ask_buyer","arguments":"{\"task\": \"buyer pays\"}"},{"type":"tool_call","id":"call-1","name":"look","arguments":"{\"item\": \"delegate and pay\"}"}]},"usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}},"request":{"type":"request","parts":[{"type":"part","kind":"system_prompt","digest":"cd163cc935e5c0dafdd69b4a59a3b84164fbc9998e1489364bfeb59f0514a89b"},{"type":"part","kind":"tools","digest":"3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6"},{"type":"part","digest":"cd697cd2d78bca7c857bb289cb1448275ab206a5743a5f39fccbeb6ca12a08f7"}],"options":"df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b"}},"started_at":"2026-11-26T11:26:28.389304+00:00","ended_at":"2026-11-26T11:26:28.390395+00:00","active_s":0.015044896000290464,"told":1}', '2026-11-26T11:26:28.391756Z');
INSERT INTO public.arc_run_steps VALUES ('waiting-below', 'tool/0/model/1', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"","tool_calls":[{"type":"tool_call","id":"call-0","name":"pay","arguments":"{\"item\": \"buyer pays\"}"}]},"usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}},"request":{"type":"request","parts":[{"type":"part","kind":"system_prompt","digest":"e32deedc8457e1de1553526e45b622ed1b65f4b368f63750bdb67f2bd8153092"},{"type":"part","kind":"tools","digest":"8ed1e89b65729d352eebb4ea3db1f726986a46dff5dfe0a56df2468c2944a4a5"},{"type":"part","digest":"dbe82d082f5ee5e58d473633610b900923da0663b384d8fae76300d2af4b916e"}],"options":"df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b"}},"started_at":"2026-11-26T11:26:28.403444+00:00","ended_at":"2026-11-26T11:26:28.404655+00:00","active_s":0.008884844000021985,"told":1}', '2026-11-26T11:26:28.405834Z');
INSERT INTO public.arc_run_steps VALUES ('denied', 'enter', '{"type":"step","value":{"type":"entered","prompt":"pay","system_prompt":"You sell.","tools":["ask_buyer","dig","find","look","pay"],"started_at":"2026-11-26T11:26:28.651042+00:00","wiring":"2f493c1bd525fc573fe669f3c8151cd89cbf0c593c956422fd3408aa3da3f513"},"active_s":0.004311843999857956,"told":1}', '2026-11-26T11:26:28.658307Z');
INSERT INTO public.arc_run_steps VALUES ('decided', 'enter', '{"type":"step","value":{"type":"entered","prompt":"pay","system_prompt":"You sell.","tools":["ask_buyer","dig","find","look","pay"],"started_at":"2026-11-26T11:26:28.925102+00:00","wiring":"2f493c1bd525fc573fe669f3c8151cd89cbf0c593c956422fd3408aa3da3f513"},"active_s":0.005896186999962083,"told":1}', '2026-11-26T11:26:28.931882Z');
INSERT INTO public.arc_run_steps VALUES ('cancelled', 'model/1', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"","tool_calls":[{"type":"tool_call","id":"call-0","name":"find","arguments":"{\"item\": \"pay\"}"},{"type":"tool_call","id":"call-1","name":"pay","arguments":"{\"item\": \"pay\"}"}]},"usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}},"request":{"type":"request","parts":[{"type":"part","kind":"system_prompt","digest":"cd163cc935e5c0dafdd69b4a59a3b84164fbc9998e1489364bfeb59f0514a89b"},{"type":"part","kind":"tools","digest":"3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6"},{"type":"part","digest":"fb72d4a1c763a0d8b0f12a22e425ae8435857478aea28e03fbe94272cc586375"}],"options":"df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b"}},"started_at":"2026-11-26T11:26:29.193720+00:00","ended_at":"2026-11-26T11:26:29.194154+00:00","active_s":0.006541044000186957,"told":1}', '2026-11-26T11:26:29.195613Z');
INSERT INTO public.arc_run_steps VALUES ('denied', 'tool/1', '{"type":"step","value":{"type":"called","result":{"type":"tool_result","call_id":"call-1","name":"pay","content":"Error: This call of the tool ''pay'' was denied: no","outcome":"denied"},"repeatable":false},"active_s":0.027454479999505566,"told":6}', '2026-11-26T11:26:29.743942Z');
INSERT INTO public.arc_run_steps VALUES ('denied', 'finish', '{"type":"step","value":{"type":"agent_result","success":true,"content":"pay: found pay in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ; Error: This call of the tool ''pay'' was denied: no","error_code":null,"error_message":null,"tools_used":["find"],"token_usage":{"type":"token_usage","prompt_tokens":30,"completion_tokens":10,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":35.55177999987791,"run_id":"denied","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"pay"},{"$recorded":["model/1","value","response","message"]},{"type":"tool_result_message","results":[{"$recorded":["tool/0","value","result"]},{"$recorded":["tool/1","value","result"]}]},{"$recorded":["model/2","value","response","message"]}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null},"active_s":0.038276455999948666,"told":7}', '2026-11-26T11:26:29.755570Z');
INSERT INTO public.arc_run_steps VALUES ('running', 'begin', '{"type":"step","value":{"type":"in_charge","agent":"clerk"},"active_s":0.0002212979998148512,"told":1}', '2026-11-26T11:26:29.985454Z');
INSERT INTO public.arc_run_steps VALUES ('running', 'model/1', '{"type":"step","value":{"type":"asked","response":{"type":"chat_response","message":{"type":"assistant_message","content":"","tool_calls":[{"type":"tool_call","id":"call-0","name":"find","arguments":"{\"item\": \"dig\"}"},{"type":"tool_call","id":"call-1","name":"dig","arguments":"{\"item\": \"dig\"}"}]},"usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0}},"request":{"type":"request","parts":[{"type":"part","kind":"system_prompt","digest":"cd163cc935e5c0dafdd69b4a59a3b84164fbc9998e1489364bfeb59f0514a89b"},{"type":"part","kind":"tools","digest":"3605cb50960cfb50f66258bb79ae1e538704b64db28dc172a12fca5cb27f91b6"},{"type":"part","digest":"74892df43d213a7c9a357df747959c9419edfc823e0f34648ea399c9a9b94aa5"}],"options":"df99483d6b84dcbe4da0fe47e0e0d11dbbcc0c24da348cfc4e5be114af63d72b"}},"started_at":"2026-11-26T11:26:29.999049+00:00","ended_at":"2026-11-26T11:26:29.999540+00:00","active_s":0.01539115400009905,"told":1}', '2026-11-26T11:26:30.001190Z');


--
-- Data for Name: arc_runs; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.arc_runs VALUES ('finished-plain', 'arc-2', 'finished', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"hello","user_id":"ann","agent":"clerk"}', NULL, 1, true, NULL, NULL, 0, false, 3, NULL, '2026-11-26T11:26:25.500059Z', '2026-11-26T11:26:26.797346Z', '{"v":1,"type":"agent_result","success":true,"content":"hello.","error_code":null,"error_message":null,"tools_used":[],"token_usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":38.260010999692895,"run_id":"finished-plain","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"hello"},{"type":"assistant_message","content":"hello."}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null}');
INSERT INTO public.arc_runs VALUES ('finished-parallel', 'arc-2', 'finished', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"parallel","user_id":"ann","agent":"clerk"}', NULL, 1, true, NULL, NULL, 0, false, 7, NULL, '2026-11-26T11:26:26.816870Z', '2026-11-26T11:26:27.067288Z', '{"v":1,"type":"agent_result","success":true,"content":"parallel: found parallel in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ; parallel looks good and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new ","error_code":null,"error_message":null,"tools_used":["find","look"],"token_usage":{"type":"token_usage","prompt_tokens":30,"completion_tokens":10,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":35.446763999971154,"run_id":"finished-parallel","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":{"$recorded":["finish","value","messages"]},"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null}');
INSERT INTO public.arc_runs VALUES ('waiting-below', 'arc-2', 'waiting', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"delegate and pay","user_id":"ann","session_id":"s-waiting-below","agent":"clerk"}', NULL, 1, true, NULL, NULL, 0, false, 4, NULL, '2026-11-26T11:26:28.169331Z', NULL, '{"v":1,"type":"agent_result","success":false,"content":null,"error_code":null,"error_message":null,"tools_used":["ask_buyer","look"],"token_usage":{"type":"token_usage","prompt_tokens":20,"completion_tokens":10,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":47.718792000523536,"run_id":"waiting-below","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"delegate and pay"}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null}');
INSERT INTO public.arc_runs VALUES ('finished-delegate', 'arc-2', 'finished', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"delegate","user_id":"ann","agent":"clerk"}', NULL, 1, true, NULL, NULL, 0, false, 7, NULL, '2026-11-26T11:26:27.092538Z', '2026-11-26T11:26:27.417107Z', '{"v":1,"type":"agent_result","success":true,"content":"delegate: buyer finds: found buyer finds in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ; delegate looks good and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new and new ","error_code":null,"error_message":null,"tools_used":["ask_buyer","look"],"token_usage":{"type":"token_usage","prompt_tokens":60,"completion_tokens":20,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":113.25709999982791,"run_id":"finished-delegate","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":{"$recorded":["finish","value","messages"]},"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null}');
INSERT INTO public.arc_runs VALUES ('failed', 'arc-2', 'finished', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"fail","user_id":"ann","agent":"clerk"}', NULL, 1, true, NULL, NULL, 0, false, 2, NULL, '2026-11-26T11:26:27.433275Z', '2026-11-26T11:26:27.604255Z', '{"v":1,"type":"agent_result","success":false,"content":null,"error_code":"UNAVAILABLE","error_message":"The service cannot be reached. Please try again later.","tools_used":[],"token_usage":null,"duration_ms":12.429689999407856,"run_id":"failed","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"fail"}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null}');
INSERT INTO public.arc_runs VALUES ('waiting', 'arc-2', 'waiting', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"pay","user_id":"ann","session_id":"s-waiting","agent":"clerk"}', NULL, 1, true, NULL, NULL, 0, false, 4, NULL, '2026-11-26T11:26:27.887911Z', NULL, '{"v":1,"type":"agent_result","success":false,"content":null,"error_code":null,"error_message":null,"tools_used":["find"],"token_usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":27.52445500027534,"run_id":"waiting","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"pay"}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null}');
INSERT INTO public.arc_runs VALUES ('running', 'arc-2', 'running', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"dig","user_id":"ann","agent":"clerk"}', NULL, 1, true, 'vm-12016-7c9e3256', 'f5b77d8b9c3f4354947cf91008c9e36f', 0, false, 4, NULL, '2026-11-26T11:26:29.776437Z', NULL, NULL);
INSERT INTO public.arc_runs VALUES ('queued-carried', 'arc-2', 'queued', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"parallel","user_id":"ann","agent":"clerk"}', NULL, 1, true, NULL, NULL, 0, false, 0, NULL, '2026-11-26T11:26:30.008377Z', NULL, NULL);
INSERT INTO public.arc_runs VALUES ('decided', 'arc-2', 'queued', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"pay","user_id":"ann","session_id":"s-decided","agent":"clerk"}', NULL, 2, false, NULL, NULL, 0, false, 4, NULL, '2026-11-26T11:26:28.693249Z', NULL, '{"v":1,"type":"agent_result","success":false,"content":null,"error_code":null,"error_message":null,"tools_used":["find"],"token_usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":41.830619999927876,"run_id":"decided","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"pay"}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null}');
INSERT INTO public.arc_runs VALUES ('finished-paid', 'arc-2', 'finished', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"pay","user_id":"ann","session_id":"s-finished-paid","agent":"clerk"}', NULL, 2, true, NULL, NULL, 0, false, 8, NULL, '2026-11-26T11:26:27.612923Z', '2026-11-26T11:26:29.488362Z', '{"v":1,"type":"agent_result","success":true,"content":"pay: found pay in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ; paid for pay","error_code":null,"error_message":null,"tools_used":["find","pay"],"token_usage":{"type":"token_usage","prompt_tokens":30,"completion_tokens":10,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":31.67540699996607,"run_id":"finished-paid","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":{"$recorded":["finish","value","messages"]},"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null}');
INSERT INTO public.arc_runs VALUES ('denied', 'arc-2', 'finished', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"pay","user_id":"ann","session_id":"s-denied","agent":"clerk"}', NULL, 2, true, NULL, NULL, 0, false, 8, NULL, '2026-11-26T11:26:28.439216Z', '2026-11-26T11:26:29.758347Z', '{"v":1,"type":"agent_result","success":true,"content":"pay: found pay in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf in the store, on the shelf ; Error: This call of the tool ''pay'' was denied: no","error_code":null,"error_message":null,"tools_used":["find"],"token_usage":{"type":"token_usage","prompt_tokens":30,"completion_tokens":10,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":35.55177999987791,"run_id":"denied","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":{"$recorded":["finish","value","messages"]},"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null}');
INSERT INTO public.arc_runs VALUES ('cancelled', 'arc-2', 'finished', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"pay","user_id":"ann","session_id":"s-cancelled","agent":"clerk"}', NULL, 2, true, NULL, NULL, 0, true, 5, NULL, '2026-11-26T11:26:28.976678Z', '2026-11-26T11:26:29.284323Z', '{"v":1,"type":"agent_result","success":false,"content":null,"error_code":"CANCELLED","error_message":"The request was cancelled.","tools_used":["find"],"token_usage":{"type":"token_usage","prompt_tokens":10,"completion_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"duration_ms":16.834653999467264,"run_id":"cancelled","metadata":{},"output":null,"has_output":false,"partial_content":null,"finish_reason":null,"cache_hit":false,"dropped_messages":0,"history_available":true,"messages":[{"type":"user_message","content":"pay"}],"reasoning":null,"agent":"clerk","model":null,"provider":null,"cost":null,"not_closed":[],"waiting":[],"retry_after_s":null}');
INSERT INTO public.arc_runs VALUES ('queued-delegate', 'arc-2', 'queued', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"delegate","user_id":"ann","agent":"clerk"}', NULL, 1, true, NULL, NULL, 0, false, 0, NULL, '2026-11-26T11:26:30.011521Z', NULL, NULL);
INSERT INTO public.arc_runs VALUES ('queued-new', 'arc-2', 'queued', 'default', NULL, '{"v":1,"type":"agent_command","user_prompt":"pay","user_id":"ann","agent":"clerk"}', NULL, 1, false, NULL, NULL, 0, false, 0, NULL, '2026-11-26T11:26:32.319792Z', NULL, NULL);


--
-- Name: arc_run_schema_version_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.arc_run_schema_version_seq', 1, false);


--
-- Name: application_versions application_versions_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.application_versions
    ADD CONSTRAINT application_versions_pkey PRIMARY KEY (version_id);


--
-- Name: application_versions application_versions_version_name_key; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.application_versions
    ADD CONSTRAINT application_versions_version_name_key UNIQUE (version_name);


--
-- Name: dbos_migrations dbos_migrations_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.dbos_migrations
    ADD CONSTRAINT dbos_migrations_pkey PRIMARY KEY (version);


--
-- Name: event_dispatch_kv event_dispatch_kv_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.event_dispatch_kv
    ADD CONSTRAINT event_dispatch_kv_pkey PRIMARY KEY (service_name, workflow_fn_name, key);


--
-- Name: notifications notifications_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.notifications
    ADD CONSTRAINT notifications_pkey PRIMARY KEY (message_uuid);


--
-- Name: operation_outputs operation_outputs_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.operation_outputs
    ADD CONSTRAINT operation_outputs_pkey PRIMARY KEY (workflow_uuid, function_id);


--
-- Name: queues queues_name_key; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.queues
    ADD CONSTRAINT queues_name_key UNIQUE (name);


--
-- Name: queues queues_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.queues
    ADD CONSTRAINT queues_pkey PRIMARY KEY (queue_id);


--
-- Name: streams streams_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.streams
    ADD CONSTRAINT streams_pkey PRIMARY KEY (workflow_uuid, key, "offset");


--
-- Name: workflow_events_history workflow_events_history_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.workflow_events_history
    ADD CONSTRAINT workflow_events_history_pkey PRIMARY KEY (workflow_uuid, function_id, key);


--
-- Name: workflow_events workflow_events_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.workflow_events
    ADD CONSTRAINT workflow_events_pkey PRIMARY KEY (workflow_uuid, key);


--
-- Name: workflow_input workflow_input_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.workflow_input
    ADD CONSTRAINT workflow_input_pkey PRIMARY KEY (workflow_uuid);


--
-- Name: workflow_output workflow_output_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.workflow_output
    ADD CONSTRAINT workflow_output_pkey PRIMARY KEY (workflow_uuid);


--
-- Name: workflow_schedules workflow_schedules_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.workflow_schedules
    ADD CONSTRAINT workflow_schedules_pkey PRIMARY KEY (schedule_id);


--
-- Name: workflow_schedules workflow_schedules_schedule_name_key; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.workflow_schedules
    ADD CONSTRAINT workflow_schedules_schedule_name_key UNIQUE (schedule_name);


--
-- Name: workflow_status workflow_status_pkey; Type: CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.workflow_status
    ADD CONSTRAINT workflow_status_pkey PRIMARY KEY (workflow_uuid);


--
-- Name: arc_approvals arc_approvals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.arc_approvals
    ADD CONSTRAINT arc_approvals_pkey PRIMARY KEY (run_id, key);


--
-- Name: arc_run_events arc_run_events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.arc_run_events
    ADD CONSTRAINT arc_run_events_pkey PRIMARY KEY (run_id, number);


--
-- Name: arc_run_keys arc_run_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.arc_run_keys
    ADD CONSTRAINT arc_run_keys_pkey PRIMARY KEY (key);


--
-- Name: arc_run_part_uses arc_run_part_uses_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.arc_run_part_uses
    ADD CONSTRAINT arc_run_part_uses_pkey PRIMARY KEY (used_by, digest);


--
-- Name: arc_run_parts arc_run_parts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.arc_run_parts
    ADD CONSTRAINT arc_run_parts_pkey PRIMARY KEY (digest);


--
-- Name: arc_run_schema arc_run_schema_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.arc_run_schema
    ADD CONSTRAINT arc_run_schema_pkey PRIMARY KEY (version);


--
-- Name: arc_run_steps arc_run_steps_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.arc_run_steps
    ADD CONSTRAINT arc_run_steps_pkey PRIMARY KEY (run_id, key);


--
-- Name: arc_runs arc_runs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.arc_runs
    ADD CONSTRAINT arc_runs_pkey PRIMARY KEY (run_id);


--
-- Name: idx_application_versions_owner_timestamp; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_application_versions_owner_timestamp ON arc_dbos.application_versions USING btree (application_name, version_timestamp DESC);


--
-- Name: idx_application_versions_timestamp; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_application_versions_timestamp ON arc_dbos.application_versions USING btree (version_timestamp DESC);


--
-- Name: idx_operation_outputs_completed_at_function_name_v2; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_operation_outputs_completed_at_function_name_v2 ON arc_dbos.operation_outputs USING btree (completed_at_epoch_ms, function_name) INCLUDE (application_name);


--
-- Name: idx_operation_outputs_retention; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_operation_outputs_retention ON arc_dbos.operation_outputs USING btree (retention_timestamp);


--
-- Name: idx_workflow_input_retention; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_input_retention ON arc_dbos.workflow_input USING btree (retention_timestamp);


--
-- Name: idx_workflow_output_retention; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_output_retention ON arc_dbos.workflow_output USING btree (retention_timestamp);


--
-- Name: idx_workflow_status_attributes; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_attributes ON arc_dbos.workflow_status USING gin (attributes) WHERE (attributes IS NOT NULL);


--
-- Name: idx_workflow_status_completed_at; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_completed_at ON arc_dbos.workflow_status USING btree (completed_at) WHERE (completed_at IS NOT NULL);


--
-- Name: idx_workflow_status_deadline; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_deadline ON arc_dbos.workflow_status USING btree (workflow_deadline_epoch_ms) WHERE ((status = ANY (ARRAY['ENQUEUED'::text, 'PENDING'::text, 'DELAYED'::text])) AND (workflow_deadline_epoch_ms IS NOT NULL));


--
-- Name: idx_workflow_status_delayed; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_delayed ON arc_dbos.workflow_status USING btree (delay_until_epoch_ms) WHERE (status = 'DELAYED'::text);


--
-- Name: idx_workflow_status_failed; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_failed ON arc_dbos.workflow_status USING btree (status, created_at) WHERE (status = ANY (ARRAY['ERROR'::text, 'CANCELLED'::text, 'MAX_RECOVERY_ATTEMPTS_EXCEEDED'::text]));


--
-- Name: idx_workflow_status_forked_from; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_forked_from ON arc_dbos.workflow_status USING btree (forked_from) WHERE (forked_from IS NOT NULL);


--
-- Name: idx_workflow_status_in_flight_v2; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_in_flight_v2 ON arc_dbos.workflow_status USING btree (queue_name, status, priority, created_at) INCLUDE (application_name) WHERE (status = ANY (ARRAY['ENQUEUED'::text, 'PENDING'::text]));


--
-- Name: idx_workflow_status_parent_workflow_id; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_parent_workflow_id ON arc_dbos.workflow_status USING btree (parent_workflow_id) WHERE (parent_workflow_id IS NOT NULL);


--
-- Name: idx_workflow_status_partition_dequeue_v3; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_partition_dequeue_v3 ON arc_dbos.workflow_status USING btree (queue_name, status, queue_partition_key, priority, created_at, workflow_uuid) INCLUDE (application_name) WHERE ((status = ANY (ARRAY['ENQUEUED'::text, 'PENDING'::text])) AND (queue_partition_key IS NOT NULL));


--
-- Name: idx_workflow_status_pending; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_pending ON arc_dbos.workflow_status USING btree (created_at) WHERE (status = 'PENDING'::text);


--
-- Name: idx_workflow_status_rate_limited; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_rate_limited ON arc_dbos.workflow_status USING btree (queue_name, started_at_epoch_ms) WHERE (rate_limited = true);


--
-- Name: idx_workflow_status_schedule_name; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_schedule_name ON arc_dbos.workflow_status USING btree (schedule_name) WHERE (schedule_name IS NOT NULL);


--
-- Name: idx_workflow_status_started_at; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_status_started_at ON arc_dbos.workflow_status USING btree (started_at_epoch_ms) WHERE (started_at_epoch_ms IS NOT NULL);


--
-- Name: idx_workflow_topic; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX idx_workflow_topic ON arc_dbos.notifications USING btree (destination_uuid, topic);


--
-- Name: uq_application_versions_owner_version; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE UNIQUE INDEX uq_application_versions_owner_version ON arc_dbos.application_versions USING btree (application_name, version_name) WHERE (application_name IS NOT NULL);


--
-- Name: uq_application_versions_unclaimed_version; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE UNIQUE INDEX uq_application_versions_unclaimed_version ON arc_dbos.application_versions USING btree (version_name) WHERE (application_name IS NULL);


--
-- Name: uq_workflow_status_dedup_id; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE UNIQUE INDEX uq_workflow_status_dedup_id ON arc_dbos.workflow_status USING btree (queue_name, deduplication_id) WHERE (deduplication_id IS NOT NULL);


--
-- Name: workflow_status_created_at_index; Type: INDEX; Schema: arc_dbos; Owner: -
--

CREATE INDEX workflow_status_created_at_index ON arc_dbos.workflow_status USING btree (created_at);


--
-- Name: arc_approvals_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX arc_approvals_open ON public.arc_approvals USING btree (until) WHERE (decision IS NULL);


--
-- Name: arc_run_part_uses_digest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX arc_run_part_uses_digest ON public.arc_run_part_uses USING btree (digest);


--
-- Name: arc_runs_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX arc_runs_created ON public.arc_runs USING btree (created_at);


--
-- Name: arc_runs_finished; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX arc_runs_finished ON public.arc_runs USING btree (finished_at);


--
-- Name: arc_runs_state; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX arc_runs_state ON public.arc_runs USING btree (state, executor);


--
-- Name: arc_runs_uncarried; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX arc_runs_uncarried ON public.arc_runs USING btree (state, created_at) WHERE (((state)::text = 'queued'::text) AND (NOT carried));


--
-- Name: notifications notifications_destination_uuid_fkey; Type: FK CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.notifications
    ADD CONSTRAINT notifications_destination_uuid_fkey FOREIGN KEY (destination_uuid) REFERENCES arc_dbos.workflow_status(workflow_uuid) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: streams streams_workflow_uuid_fkey; Type: FK CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.streams
    ADD CONSTRAINT streams_workflow_uuid_fkey FOREIGN KEY (workflow_uuid) REFERENCES arc_dbos.workflow_status(workflow_uuid) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: workflow_events_history workflow_events_history_workflow_uuid_fkey; Type: FK CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.workflow_events_history
    ADD CONSTRAINT workflow_events_history_workflow_uuid_fkey FOREIGN KEY (workflow_uuid) REFERENCES arc_dbos.workflow_status(workflow_uuid) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: workflow_events workflow_events_workflow_uuid_fkey; Type: FK CONSTRAINT; Schema: arc_dbos; Owner: -
--

ALTER TABLE ONLY arc_dbos.workflow_events
    ADD CONSTRAINT workflow_events_workflow_uuid_fkey FOREIGN KEY (workflow_uuid) REFERENCES arc_dbos.workflow_status(workflow_uuid) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- PostgreSQL database dump complete
--


