//! The rules of the scan, and what a hit of each means.

/// The version of all rules together: part of every acknowledgement, so a change of rules voids it.
pub const RULES_VERSION: &str = "retoque-detect/1";

/// What a hit means for the dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Shown, and taken.
    Warn,
    /// Taken once somebody acknowledged it.
    Acknowledge,
    /// Refused.
    Block,
}

/// One rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// AWS access key id.
    AwsKeyId,
    /// AWS secret access key next to its name.
    AwsSecret,
    /// AWS Bedrock API key.
    AwsBedrock,
    /// Block of a private key.
    PrivateKey,
    /// `sk-` style API key.
    ApiKey,
    /// Stripe live key.
    StripeLive,
    /// Stripe test key.
    StripeTest,
    /// JSON Web Token.
    Jwt,
    /// GitHub token.
    GitHub,
    /// Hugging Face token.
    HuggingFace,
    /// Token of another service with an unmistakable beginning.
    OtherToken,
    /// E-mail address.
    Email,
    /// Phone number.
    Phone,
    /// IBAN.
    Iban,
    /// Card number.
    Card,
}

impl Rule {
    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AwsKeyId => "aws_access_key",
            Self::AwsSecret => "aws_secret_key",
            Self::AwsBedrock => "aws_bedrock_key",
            Self::PrivateKey => "private_key",
            Self::ApiKey => "sk_api_key",
            Self::StripeLive => "stripe_live_key",
            Self::StripeTest => "stripe_test_key",
            Self::Jwt => "json_web_token",
            Self::GitHub => "github_token",
            Self::HuggingFace => "hugging_face_token",
            Self::OtherToken => "service_token",
            Self::Email => "email",
            Self::Phone => "phone",
            Self::Iban => "iban",
            Self::Card => "card",
        }
    }

    /// What a hit means.
    pub const fn class(self) -> Class {
        match self {
            Self::StripeTest => Class::Warn,
            Self::Email | Self::Phone | Self::Iban | Self::Card => Class::Acknowledge,
            _ => Class::Block,
        }
    }

    /// What was seen, in words.
    pub const fn what(self) -> &'static str {
        match self {
            Self::AwsKeyId => "an AWS access key id",
            Self::AwsSecret => "an AWS secret access key",
            Self::AwsBedrock => "an AWS Bedrock API key",
            Self::PrivateKey => "a private key block",
            Self::ApiKey => "an API key (`sk-`)",
            Self::StripeLive => "a Stripe live key",
            Self::StripeTest => "a Stripe test key",
            Self::Jwt => "a JSON Web Token",
            Self::GitHub => "a GitHub token",
            Self::HuggingFace => "a Hugging Face token",
            Self::OtherToken => "a token of a service",
            Self::Email => "an e-mail address",
            Self::Phone => "a phone number",
            Self::Iban => "an IBAN",
            Self::Card => "a card number",
        }
    }
}
