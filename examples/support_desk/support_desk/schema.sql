CREATE TABLE IF NOT EXISTS customers (id text PRIMARY KEY, name text NOT NULL);

CREATE TABLE IF NOT EXISTS orders (
    number integer PRIMARY KEY,
    customer text NOT NULL REFERENCES customers,
    item text NOT NULL,
    paid numeric(10, 2) NOT NULL,
    state text NOT NULL
);

CREATE TABLE IF NOT EXISTS refunds (
    key text PRIMARY KEY,  -- names the call of the tool: one that is made again pays once
    number integer NOT NULL REFERENCES orders,
    amount numeric(10, 2) NOT NULL,
    attempts integer NOT NULL DEFAULT 1
);

INSERT INTO customers VALUES ('ann', 'Ann Lee'), ('bob', 'Bob Kim') ON CONFLICT DO NOTHING;

INSERT INTO orders VALUES
    (7, 'ann', 'teapot', 24.50, 'on its way'),
    (17, 'ann', 'vase', 480.00, 'delivered'),
    (23, 'bob', 'lamp', 65.00, 'delivered')
ON CONFLICT DO NOTHING;
