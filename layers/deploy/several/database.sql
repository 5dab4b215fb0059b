-- Creates the role and the database of the service. Patroni runs it once, on the first server of a new cluster.
\getenv password POSTGRES_PASSWORD
create role pennypress login password :'password';
create database pennypress owner pennypress;
